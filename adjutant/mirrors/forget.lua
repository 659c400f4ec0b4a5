local owner = redis.call('GET', KEYS[2])
if owner and owner ~= ARGV[1] then return 2 end
return redis.call('DEL', KEYS[1])
