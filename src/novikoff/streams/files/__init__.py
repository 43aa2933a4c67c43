"""Files of every format, as streams."""
