var e=`//! A bot for the arena of Roshambo, with Rust's standard library. Run it with:
//!
//!     rustc --edition 2021 -O bot.rs && ROSHAMBO_KEY=rsb_… ./bot http://127.0.0.1:8080 3
//!
//! It plays three ranked duels with the key of a bot. Change choose(); the rest is the protocol: both
//! sides commit to a move, then both reveal it, each in less than 15 seconds.
use std::io::{Error, ErrorKind, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::net::{TcpStream, ToSocketAddrs};
use std::{env, fs::File, process::exit, thread::sleep, time::Duration};

const MOVES: [&str; 3] = ["rock", "paper", "scissors"];

/// Returns the next move: usually beats the opponent's most frequent recent move.
fn choose(theirs: &[&str]) -> &'static str {
    let dice = random();
    if theirs.is_empty() || dice[0] % 5 == 0 { return MOVES[dice[1] as usize % 3]; }
    let count = |i: &usize| theirs.iter().rev().take(10).filter(|m| **m == MOVES[*i]).count();
    MOVES[((0..3).max_by_key(count).unwrap() + 1) % 3]
}

fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes)).expect("chance");
    bytes
}

/// SHA-256 in hex. Its constants are fractional parts of roots of the first primes.
fn sha256(text: &str) -> String {
    let primes: Vec<f64> = (2..312).filter(|n| (2..*n).all(|d| n % d != 0)).map(f64::from).collect();
    let bits = |root: f64| (root.fract() * 4294967296.0) as u32;
    let mut h: Vec<_> = primes[..8].iter().map(|p| bits(p.sqrt())).collect();
    let zeros = vec![0; (text.len() + 72) / 64 * 64 - 9 - text.len()];
    let message = [text.as_bytes(), &[0x80], &zeros, &(8 * text.len() as u64).to_be_bytes()].concat();
    let sum = |list: &[u32]| list.iter().fold(0u32, |a, b| a.wrapping_add(*b));
    let mix = |x: u32, a, b, more: u32| x.rotate_right(a) ^ x.rotate_right(b) ^ more;
    for block in message.chunks(64) {
        let mut w: Vec<u32> = block.chunks(4).map(|b| u32::from_be_bytes(b.try_into().unwrap())).collect();
        for i in 16..64 {
            let (a, b) = (w[i - 15], w[i - 2]);
            w.push(sum(&[w[i - 16], mix(a, 7, 18, a >> 3), w[i - 7], mix(b, 17, 19, b >> 10)]));
        }
        let mut s = h.clone();
        for i in 0..64 {
            let (a, b, c, e) = (s[0], s[1], s[2], s[4]);
            let t = sum(&[s[7], mix(e, 6, 11, e.rotate_right(25)), e & s[5] ^ !e & s[6], bits(primes[i].cbrt()), w[i]]);
            s.rotate_right(1);
            (s[0], s[4]) = (sum(&[t, mix(a, 2, 13, a.rotate_right(22)), a & b ^ a & c ^ b & c]), sum(&[s[4], t]));
        }
        h.iter_mut().zip(s).for_each(|(h, s)| *h = h.wrapping_add(s));
    }
    h.iter().map(|word| format!("{word:08x}")).collect()
}

/// Returns the value of the last member with that name in a JSON text: in a duel, the one of
/// the current round. Strings are without quotes, objects include the text after them.
fn last<'a>(json: &'a str, name: &str) -> &'a str {
    let value = json.rsplit_once(&format!("\\"{name}\\":")).map_or("null", |(_, rest)| rest);
    if value.starts_with('{') { value } else { value.split([',', '}', ']']).next().unwrap().trim_matches('"') }
}

/// Sends a request and returns the response body, or None if the duel has changed. It repeats the
/// request until there is a response.
fn call(args: &[String], method: &str, path: &str, body: &str) -> Option<String> {
    loop {
        let pause = match once(args, method, path, body) {
            Ok((200, _, answer)) => { keep(&answer); return Some(answer) }
            Ok((409, ..)) if body.contains("round") => return None,
            Ok((408 | 409 | 429 | 500.., head, _)) => delay(&head),
            Ok((status, _, answer)) => { eprintln!("{method} {path}: {status} {answer}"); exit(1) }
            Err(lost) => { eprintln!("retrying: {lost}"); 1 }
        };
        sleep(Duration::from_secs(pause))
    }
}

/// Appends the house's receipts to receipts.jsonl: evidence if the proof of the duel differs.
fn keep(answer: &str) {
    if let Some((_, list)) = answer.split_once("\\"receipts\\":[") {
        let mut file = File::options().append(true).create(true).open("receipts.jsonl").expect("receipts.jsonl");
        writeln!(file, "{}", list.split(']').next().unwrap()).expect("receipts.jsonl");
    }
}

/// Reports whether an answer holds the house's signature under both commitments of its current round.
fn signed(answer: &str) -> bool {
    let Some((duel, list)) = answer.split_once("\\"receipts\\":[") else { return false };
    let said = |name: &str, value: &str| list.contains(&format!("\\\\\\"{name}\\\\\\":\\\\\\"{value}\\\\\\""));
    said("commitment_a", last(duel, "commitment_a")) && said("commitment_b", last(duel, "commitment_b"))
}

/// Sends one request and returns status, head and body of the response. The service holds it for up to 5
/// seconds. An attempt without one is given up well before the deadline of 15 seconds.
fn once(args: &[String], method: &str, path: &str, body: &str) -> Result<(u16, String, String), Error> {
    sleep(Duration::from_millis(SPACING.load(Relaxed) * if method == "GET" { 2 } else { 1 })); // a read waits twice as long
    let (host, key) = (args[1][7..].trim_end_matches('/'), env::var("ROSHAMBO_KEY").unwrap_or_default());
    let connect = |address| TcpStream::connect_timeout(&address, Duration::from_secs(2)).ok();
    let mut stream = host.to_socket_addrs()?.find_map(connect).ok_or(ErrorKind::TimedOut)?;
    let mut answer = String::new();
    stream.set_read_timeout(Some(Duration::from_secs(9)))?;
    write!(stream, "{method} {path} HTTP/1.0\\r\\nHost: {host}\\r\\nAuthorization: Bearer {key}\\r\\nPrefer: receipt, wait=5\\r\\n\\
        Content-Type: application/json\\r\\nContent-Length: {}\\r\\n\\r\\n{body}", body.len())?;
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\\r\\n\\r\\n").ok_or(ErrorKind::UnexpectedEof)?;
    pace(head);
    let whole = body.matches('{').count() == body.matches('}').count() && (body.len() > 1 || !head.contains(" 200 "));
    match head.get(9..12).and_then(|status| status.parse().ok()) {
        Some(status) if whole => Ok((status, head.to_string(), body.to_string())),
        _ => Err(ErrorKind::UnexpectedEof.into()),
    }
}

/// Returns the value of a header, whose name is in lower case.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().filter_map(|line| line.split_once(": ")).find(|(key, _)| key.to_lowercase() == name).map(|(_, value)| value)
}

/// Returns the seconds until another attempt: Retry-After is a number or a date, like the header Date. They are
/// five at most, as a refusal costs nothing, and a missed deadline a round.
fn delay(head: &str) -> u64 {
    let after = header(head, "retry-after").unwrap_or_default();
    let clock = |date: &str| date.split([' ', ':']).skip(4).take(3).try_fold(0, |sum, n| Some(60 * sum + n.parse::<u64>().ok()?));
    let until = clock(after).filter(|_| after.contains(':')).zip(clock(header(head, "date").unwrap_or_default())).map(|(then, now)| (then + 86400 - now) % 86400);
    after.parse().ok().or(until).unwrap_or(1).clamp(1, 5)
}

/// Spaces out requests when less than half of the limit of q in w seconds is left: the r that are left are
/// spread over a whole window, as other bots may use them too. It delays no step by more than three
/// seconds, since each has a deadline.
fn pace(head: &str) {
    let number = |line, name| header(head, line)?.split(';').find_map(|part| part.strip_prefix(name)?.parse::<u64>().ok());
    let (q, w, r) = (number("ratelimit-policy", "q="), number("ratelimit-policy", "w="), number("ratelimit", "r="));
    let (q, w, r) = (q.unwrap_or(0), w.unwrap_or(0), r.unwrap_or(0));
    COVERED.store(3 * r >= q, Relaxed);
    SPACING.store(if 2 * r < q { (1000 * w / (r + 1)).min(3000) } else { 0 }, Relaxed)
}

/// Whether a third of the request limit is left, enough to begin a duel; and the milliseconds before a step of one.
static COVERED: AtomicBool = AtomicBool::new(true);
static SPACING: AtomicU64 = AtomicU64::new(0);

/// Asks for a duel, or while the limit does not cover one, for one that has begun, such as one of a cup.
fn seat(args: &[String]) -> Option<String> {
    if COVERED.load(Relaxed) {
        return call(args, "POST", "/api/arena/queue", "{}").filter(|place| place.contains("\\"rounds\\":"));
    }
    let list = call(args, "GET", "/api/duels?mine=true&status=active", "").filter(|list| list.contains("\\"id\\":"));
    if list.is_none() { sleep(Duration::from_secs(5)) }
    call(args, "GET", &format!("/api/duels/{}?version=0", last(&list?, "id")), "")
}

/// Plays a duel to its end.
fn play(args: &[String], mut duel: String) -> String {
    let (path, me) = (format!("/api/duels/{}", last(&duel, "id")), last(&duel, "you").to_string());
    let (mine, other) = (format!("\\"{me}\\":true"), if me == "a" { "\\"move_b\\":\\"" } else { "\\"move_a\\":\\"" });
    let (mut held, mut hand, mut salt) = (String::new(), "", String::new()); // held is the round of hand and salt
    while duel.contains("\\"status\\":\\"active\\"") {
        let (round, committed) = (last(&duel, "round"), last(&duel, "committed").split('}').next().unwrap());
        let next = if !committed.contains(&mine) {
            if held != round {
                let theirs: Vec<&str> = duel.split(other).skip(1).map(|m| m.split('"').next().unwrap()).collect();
                (held, hand, salt) = (round.into(), choose(&theirs), random().map(|b| format!("{b:02x}")).concat());
            }
            let body = format!("{{\\"commitment\\":\\"{}\\",\\"round\\":{round}}}", sha256(&format!("{hand}:{salt}")));
            call(args, "POST", &format!("{path}/commit"), &body)
        } else if !committed.contains("false") && last(&duel, "you_revealed") == "false" && held == round {
            if !signed(&duel) && !call(args, "GET", &format!("{path}?version=0"), "").is_some_and(|now| signed(&now)) {
                eprintln!("The house has not signed both commitments. It could exchange one after a reveal.");
                exit(1)
            }
            let body = format!("{{\\"move\\":\\"{hand}\\",\\"salt\\":\\"{salt}\\",\\"round\\":{round}}}");
            call(args, "POST", &format!("{path}/reveal"), &body)
        } else {
            call(args, "GET", &format!("{path}?version={}", last(&duel, "version")), "")
        };
        duel = next.or_else(|| call(args, "GET", &format!("{path}?version=0"), "")).unwrap_or(duel);
    }
    duel
}

fn main() {
    let args: Vec<String> = env::args().collect();
    let duels = args.get(2).map_or(Ok(1), |n| n.parse());
    if args.len() < 2 || !args[1].starts_with("http://") || duels.is_err() || env::var("ROSHAMBO_KEY").is_err() {
        eprintln!("usage: ROSHAMBO_KEY=rsb_… bot http://HOST:PORT [DUELS]");
        exit(2)
    }
    for _ in 0..duels.unwrap() {
        let duel = play(&args, (0..).find_map(|_| seat(&args)).unwrap());
        let result = match last(&duel, "winner") { "null" => "drawn", w if w == last(&duel, "you") => "won", _ => "lost" };
        println!("{result}, {}/d/{}", args[1], last(&duel, "id"));
    }
}
`;export{e as default};