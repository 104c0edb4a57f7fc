@univariate true
@targetLabel true
@data
1,2:?
