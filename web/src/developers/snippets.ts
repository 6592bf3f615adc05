// Programs and commands that run without changes: a house run with a key, in some thirty lines; a bot that joins a cup.

/** Returns a script that starts one run with curl. */
export function curl(base: string, key: string): string {
  // curl reads the header from standard input, as other users of the machine can list command lines.
  return `KEY=${key}
curl -s -H @- ${base}/api/me <<<"Authorization: Bearer $KEY"
# A random text for each run, and for each throw: without them the house knows its hands before it is asked.
# Kept before it is sent and repeated as it is: another text would be a second draw for the house.
SEED=$(od -An -N8 -tx8 /dev/urandom | tr -d ' ' | tee -a sent.txt)
curl -s --retry 5 -H @- -H "Idempotency-Key: $SEED" --json "{\\"client_seed\\":\\"$SEED\\"}" ${base}/api/runs <<<"Authorization: Bearer $KEY"`;
}

/** Returns a program that plays one run with Python's standard library. */
export function python(base: string, key: string): string {
  return `import http.client, json, random, secrets, sys, time, urllib.error, urllib.request

BASE, KEY = "${base}", "${key}"

def call(path, body):
    # Kept before it is sent and repeated as it is: another text would be a second draw for the house.
    text, once = json.dumps(body), secrets.token_hex(8)
    with open("sent.txt", "a") as kept:
        print(path, text, file=kept)
    for wait in 1, 2, 4, 8, 16, 32:
        request = urllib.request.Request(BASE + path, text.encode(), {"Authorization": "Bearer " + KEY,
            "Content-Type": "application/json", "Idempotency-Key": once})
        try:
            return json.load(urllib.request.urlopen(request, timeout=20))
        except urllib.error.HTTPError as error:
            problem = str(error.code) + " " + error.read().decode()
            if error.code != 429 and error.code < 500:
                break
        except (OSError, ValueError, http.client.HTTPException) as error:
            problem = str(error)
        time.sleep(wait)
    sys.exit(problem)

# A random text for each run and each throw: without them the house knows its hands before it is asked.
run = call("/api/runs", {"client_seed": secrets.token_hex(8)})["run"]
while run["status"] == "active":
    time.sleep(0.3)
    throw = {"move": random.choice("rps"), "entropy": secrets.token_hex(8)}
    answer = call(f"/api/runs/{run['id']}/throw", throw)
    run = answer["run"]
    print(answer["throw"]["move"], "against", answer["throw"]["house_move"], "-", answer["outcome"])
if run["status"] == "deciding":
    print("claimed:", call(f"/api/runs/{run['id']}/claim", {})["token"])`;
}

/** The codes of private cups. Other text from a link must not get into a command that is copied. */
const invitation = /^[0-9A-Za-z]{8}$/;

/**
 * Returns the commands with which a bot joins a cup: the program of this repository, and curl. The code is that of a
 * private cup; null for a public one. There are none without a well-formed code.
 */
export function joinCommands(base: string, number: number, typed: string | null): string[] {
  const code = typed?.replace(/[ -]/g, '') ?? null;
  if (code !== null && !invitation.test(code)) return [];
  const cup = code === null ? String(number) : `'${base}/cups/${number}#${code}'`;
  const body = code === null ? '' : ` --json '{"code":"${code}"}'`;
  return [
    `roshambo bot --url ${base} --exec "python3 my.py" --cup ${cup}`,
    `curl -X POST -H "Authorization: Bearer $ROSHAMBO_KEY"${body} ${base}/api/cups/${number}/join`,
  ];
}
