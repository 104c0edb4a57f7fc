@problemName Sample
@relation weather
