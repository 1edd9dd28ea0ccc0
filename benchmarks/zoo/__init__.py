"""The performance zoo: structure x order of ids x form x size. Every cell is generated; none is stored."""
