@dimensions 2
@classLabel true a b
@data
1:2:a
1:2:3:b
