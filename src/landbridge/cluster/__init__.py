"""Connected components on clusters: the reduce core, which knows no engine. `landbridge.spark` and `.dask` adapt it."""
