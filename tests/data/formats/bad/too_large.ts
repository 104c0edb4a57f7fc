@univariate true
@data
1,1e400
