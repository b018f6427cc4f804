"""Results of face services, one reader a service: what each found in a picture, in one form."""
