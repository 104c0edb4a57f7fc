@univariate true
@classLabel true
@data
1,2:c
