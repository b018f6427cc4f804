"""Results of face services, in one form; each service has its reader."""
