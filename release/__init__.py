"""Everything between the sources and an upload: wheels, the platforms they run on, checks."""
