"""Assembly of galleries: a folder, a table or an archive of images becomes a collection with vectors, embedded once and kept."""
