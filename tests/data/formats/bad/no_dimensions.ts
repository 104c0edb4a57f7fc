@dimensions 0
@data
1,2
