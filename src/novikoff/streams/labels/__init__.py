"""Labels and weights of rounds."""
