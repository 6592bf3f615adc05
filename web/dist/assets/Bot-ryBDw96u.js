var e=`// A bot for the arena of Roshambo, with Java's standard library (17 or newer).
//
//     ROSHAMBO_KEY=rsb_… java Bot.java http://127.0.0.1:8080 3
//
// plays three ranked duels with the key of a bot. Change choose(); the rest is the protocol:
// both sides commit to a move, then both reveal it. A missed deadline of 15 seconds forfeits
// the round, so no step may take long.

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

public class Bot {
    static final List<String> MOVES = List.of("rock", "paper", "scissors");
    static final SecureRandom random = new SecureRandom();
    static final HttpClient http = HttpClient.newHttpClient();
    static final String key = System.getenv("ROSHAMBO_KEY");
    static String base;

    record Hand(String move, String salt) {}

    /** Returns the next move. theirs are the opponent's moves, oldest first: it beats the most
     * frequent of the last ten, and plays at random one time in five. */
    static String choose(List<String> theirs) {
        if (theirs.isEmpty() || random.nextInt(5) == 0) return MOVES.get(random.nextInt(3));
        var recent = theirs.subList(Math.max(0, theirs.size() - 10), theirs.size());
        var most = Collections.max(MOVES, Comparator.comparing(move -> Collections.frequency(recent, move)));
        return MOVES.get((MOVES.indexOf(most) + 1) % 3);
    }

    static boolean covered = true; // whether a third of the request limit is left, enough to begin a duel
    static long spacing = 0; // the milliseconds before a step of a duel; a read waits twice as long

    /** Spaces out requests when less than half of the limit of q in w seconds is left: the r that are left
     * are spread over a whole window, as other bots may use them too. It delays no step by more than
     * three seconds, since each has a deadline. */
    static void pace(String limit, String policy) {
        var left = Pattern.compile(";r=(\\\\d+)").matcher(limit);
        var most = Pattern.compile(";q=(\\\\d+);w=(\\\\d+)").matcher(policy);
        if (!left.find() || !most.find()) return;
        int r = Integer.parseInt(left.group(1)), q = Integer.parseInt(most.group(1));
        covered = 3 * r >= q;
        spacing = 2 * r < q ? Math.min(3000, 1000L * Integer.parseInt(most.group(2)) / (r + 1)) : 0;
    }

    /** Returns the milliseconds until another attempt: Retry-After is a number of seconds or a date. They
     * are 5,000 at most, as a refusal costs nothing, and a missed deadline a round. */
    static long delay(String after) {
        if (after.matches("\\\\d{1,6}")) return Math.min(5000, Math.max(1000, 1000 * Long.parseLong(after)));
        try {
            var date = ZonedDateTime.parse(after, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
            return Math.min(5000, Math.max(1000, date.toEpochMilli() - System.currentTimeMillis()));
        } catch (DateTimeException none) {
            return 1000;
        }
    }

    /** Sends a request and returns the response body, or null if the duel has changed. It repeats
     * the request until there is a response, which the service holds for up to wait seconds. An
     * attempt without one is given up well before the deadline of 15 seconds. */
    static String call(String method, String path, String body, int wait) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(wait + 4))
            .header("Authorization", "Bearer " + key).header("Content-Type", "application/json")
            .header("Prefer", "receipt, wait=" + wait).method(method, HttpRequest.BodyPublishers.ofString(body)).build();
        while (true) {
            Thread.sleep(method.equals("GET") ? 2 * spacing : spacing);
            long pause = 1000;
            try {
                var answer = http.send(request, BodyHandlers.ofString());
                int status = answer.statusCode();
                pace(answer.headers().firstValue("RateLimit").orElse(""),
                    answer.headers().firstValue("RateLimit-Policy").orElse(""));
                if (status == 200) {
                    keep(answer.body());
                    return answer.body();
                }
                if (status == 409 && body.contains("round")) return null;
                if (status != 408 && status != 409 && status != 429 && status < 500) {
                    System.err.println(method + " " + path + ": " + status + " " + answer.body());
                    System.exit(1);
                }
                pause = delay(answer.headers().firstValue("Retry-After").orElse(""));
            } catch (IOException lost) {
                System.err.println("retrying: " + lost);
            }
            Thread.sleep(pause);
        }
    }

    /** Appends the house's receipts to receipts.jsonl: evidence if the proof of the duel differs. */
    static void keep(String answer) throws IOException {
        if (!answer.contains("\\"receipts\\":[")) return;
        var receipt = answer.split("\\"receipts\\":\\\\[")[1].split("]")[0] + "\\n";
        Files.writeString(Path.of("receipts.jsonl"), receipt, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Reports whether an answer holds the house's signature under both commitments of its current round. */
    static boolean signed(String answer) {
        var parts = answer.split("\\"receipts\\":\\\\[");
        return parts.length == 2 && List.of("commitment_a", "commitment_b").stream().allMatch(name ->
            parts[1].contains("\\\\\\"%s\\\\\\":\\\\\\"%s\\\\\\"".formatted(name, last(parts[0], name))));
    }

    /** Returns the values of all members with that name in a JSON text: strings, booleans or
     * numbers. Java has no JSON parser; use a library for your own bot. */
    static List<String> all(String json, String name) {
        return Pattern.compile("\\"" + name + "\\":\\"?([^\\",{}\\\\]]+)").matcher(json).results().map(m -> m.group(1)).toList();
    }

    /** Returns the last of them: in a duel, the one of the current round. */
    static String last(String json, String name) {
        var values = all(json, name);
        return values.get(values.size() - 1);
    }

    /** Commits, reveals or waits, and returns the new state of the duel, null if it has changed. */
    static String step(String duel, List<String> theirs, Map<String, Hand> hands) throws Exception {
        String path = "/api/duels/" + last(duel, "id"), round = last(duel, "round");
        String committed = duel.substring(duel.lastIndexOf("\\"committed\\":")).split("}")[0];
        if (committed.contains("\\"" + last(duel, "you") + "\\":false")) {
            var salt = new byte[32];
            random.nextBytes(salt);
            var hand = hands.computeIfAbsent(round, n -> new Hand(choose(theirs), HexFormat.of().formatHex(salt)));
            var digest = MessageDigest.getInstance("SHA-256").digest((hand.move + ":" + hand.salt).getBytes());
            var body = "{\\"commitment\\":\\"%s\\",\\"round\\":%s}".formatted(HexFormat.of().formatHex(digest), round);
            return call("POST", path + "/commit", body, 5);
        }
        var hand = hands.get(round);
        if (!committed.contains("false") && last(duel, "you_revealed").equals("false") && hand != null) {
            if (!signed(duel) && !signed(String.valueOf(call("GET", path, "", 0)))) {
                System.err.println("The house has not signed both commitments. It could exchange one after a reveal.");
                System.exit(1);
            }
            var body = "{\\"move\\":\\"%s\\",\\"salt\\":\\"%s\\",\\"round\\":%s}".formatted(hand.move, hand.salt, round);
            return call("POST", path + "/reveal", body, 5);
        }
        return call("GET", path + "?version=" + last(duel, "version"), "", 5);
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 1 || key == null) {
            System.err.println("usage: ROSHAMBO_KEY=rsb_… java Bot.java URL [DUELS]");
            System.exit(2);
        }
        base = args[0];
        for (int n = args.length > 1 ? Integer.parseInt(args[1]) : 1; n > 0; n--) {
            String duel = "";
            while (duel == null || !duel.contains("\\"rounds\\":")) {
                if (covered) {
                    duel = call("POST", "/api/arena/queue", "{}", 5);
                    continue;
                }
                var begun = all(call("GET", "/api/duels?mine=true&status=active", "", 0), "id"); // those of a cup
                if (begun.isEmpty()) Thread.sleep(5000);
                else duel = call("GET", "/api/duels/" + begun.get(0), "", 0);
            }
            String id = last(duel, "id"), me = last(duel, "you"), other = me.equals("a") ? "move_b" : "move_a";
            var hands = new HashMap<String, Hand>();
            while (duel.contains("\\"status\\":\\"active\\"")) {
                var next = step(duel, all(duel, other).stream().filter(MOVES::contains).toList(), hands);
                duel = next != null ? next : call("GET", "/api/duels/" + id, "", 0);
            }
            var winner = last(duel, "winner");
            System.out.println((winner.equals("null") ? "drawn" : winner.equals(me) ? "won" : "lost") + ", " + base + "/d/" + id);
        }
    }
}
`;export{e as default};