@problemName Sample
@timeStamps true
@univariate false
@dimension 2
@classLabel true a b
@data
(0,1),(1,2):(0, 3), (1, ?):a
(2018-01-01 10:00:00,4):(2018-01-01 10:00:01,5):b
