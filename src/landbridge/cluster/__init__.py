"""Connected components on clusters: the reduce core, which is free of engines; `spark` and `dask` adapt it."""
