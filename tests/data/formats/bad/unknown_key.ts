@problemName Sample
@clasLabel true a b
@data
1,2:a
