"""Connected components and other graph connectivity at the speed of memory."""
