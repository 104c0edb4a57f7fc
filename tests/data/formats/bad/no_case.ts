@problemName Sample
@univariate true
@data
# nothing
