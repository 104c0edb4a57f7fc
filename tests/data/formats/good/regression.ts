@problemName Sample
@univariate true
@targetLabel true
@data
1,2:0.25
3,4:-7
