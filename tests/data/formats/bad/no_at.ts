@problemName Sample
  univariate true
@data
1
