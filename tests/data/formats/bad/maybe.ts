@univariate maybe
@data
1,2
