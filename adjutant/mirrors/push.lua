-- One step: whose it is, what stands there, the comparison, the write and the news. What is no contract is written over.
local owner = redis.call('GET', KEYS[2])
if owner and owner ~= ARGV[5] then return 2 end
local held = redis.call('GET', KEYS[1])
if held and ARGV[1] ~= '' then
  local whole, contract = pcall(cjson.decode, held)
  local version = whole and type(contract) == 'table' and tonumber(contract.version)
  if version and version >= tonumber(ARGV[1]) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], ARGV[5])
redis.call('PUBLISH', ARGV[3], ARGV[4])
return 1
