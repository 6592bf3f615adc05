// Programs that run without changes: a house run with a key, in a dozen lines.

/** Returns a script that starts one run with curl. */
export function curl(base: string, key: string): string {
  // curl reads the header from standard input, as other users of the machine can list command lines.
  return `KEY=${key}
curl -s -H @- ${base}/api/me <<<"Authorization: Bearer $KEY"
curl -s -H @- --json '{}' ${base}/api/runs <<<"Authorization: Bearer $KEY"`;
}

/** Returns a program that plays one run with Python's standard library. */
export function python(base: string, key: string): string {
  return `import json, random, time, urllib.request

BASE, KEY = "${base}", "${key}"

def call(path, body):
    request = urllib.request.Request(BASE + path, json.dumps(body).encode(), {
        "Authorization": "Bearer " + KEY, "Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))

run = call("/api/runs", {})["run"]
while run["status"] == "active":
    time.sleep(0.3)
    answer = call(f"/api/runs/{run['id']}/throw", {"move": random.choice("rps")})
    run = answer["run"]
    print(answer["throw"]["move"], "against", answer["throw"]["house_move"], "-", answer["outcome"])
if run["status"] == "deciding":
    print("claimed:", call(f"/api/runs/{run['id']}/claim", {})["token"])`;
}
