"""Files of answers: a plain table, Label Studio and MTurk, read and written."""
