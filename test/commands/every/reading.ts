import { ids } from "./furnish.ts";
import { error, json, people, type Steps } from "./step.ts";

const range = "--since 2025-02-28 --until 2025-03-01";
const backwards = "--start-date 2025-03-02 --end-date 2025-03-01";
const morning = "--since 2025-03-01T09:00:00Z --until 2025-03-01T11:00:00Z";
const spring = "--since 2025-02-01 --until 2025-03-02";

/** Runs of commands that change nothing, in any order. */
export const reading: Steps = {
  serve: [error(2, "--port http")],
  demo: [error(2, "--port http")],
  setup: [
    error(2, "", { says: /^homesec: setup asks its questions on a terminal; in a script use `homesec cameras add`/ }),
    error(2, "--direct"),
  ],
  live: [error(2, "--direct"), error(2, "-o csv")],
  open: [
    people("event 42", { says: /^page +http:.*\/events\/42\n$/ }),
    json("camera front-door", { ownForm: true }),
    error(3, "event 999"),
    error(2, "event"),
    error(2, "--direct"),
  ],
  summary: [people("--day 2025-03-01", { says: /^Day +Sat 1 Mar: \d+ events?, / }), json("--day 2025-03-01"), error(2, "--day soon")],
  explain: [
    people("event 42"),
    people(`alert ${ids.alert}`),
    people("--camera front-door --at 2025-03-01T10:00:00Z"),
    json(`alert ${ids.alert}`),
    error(3, "event 999"),
    error(2, "evnt 42"),
    error(2, "event"),
  ],
  health: [
    // grows with every worker
    // the home has dead letters
    people("", { code: 7, says: /^PART +STATE +MESSAGE\ndatabase +healthy .*\n(.*\n)*detection_worker +running\n/ }),
    json("--wait 5", { code: 7, ownForm: true }),
    error(2, "--direct"),
  ],
  doctor: [
    people("--only database,camera-folders,smtp", { code: 7 }),
    json("--only database,camera-folders,smtp", { code: 7 }),
    // lists all checks
    error(2, "--only camera", { says: /^homesec: there is no check camera \(did you mean cameras\?\); there are daemon, / }),
  ],
  "models probe": [
    people("", { says: /^ASKED +MODEL.*\n *first +stand-in +completion +yes +no +text/ }),
    json(""),
    error(2, "--timeout soon"),
    error(2, "first"),
  ],
  "detector test": [
    people("visitor.jpg", { says: /^$/ }),
    json("visitor.jpg", { ownForm: true }),
    error(2, "nothing.jpg"),
    error(2, "visitor.jpg token.txt --draw out.jpg"),
    error(2, "visitor.jpg --direct"),
  ],
  "detector compare": [
    people("current current --last 1", { says: /^$/ }),
    json("current current --last 1", { ownForm: true }),
    error(2, "current garden"),
    error(2, "current"),
    error(2, "current current --direct"),
  ],
  completion: [people("bash"), people("zsh"), people("fish"), error(2, "fsh")],
  docs: [people("--folder pages"), error(2, "extra")],

  "receivers list": [
    people("", { says: /PROTOCOL +STATE +ADDRESS[\s\S]*ftp +\w+ +127\.0\.0\.1:\d+/ }),
    json(),
    error(2, "--fields protocl"),
  ],
  "cameras list": [
    people(),
    people("--fields camera_id,status --direct"),
    json("--status unknown"),
    error(2, "--status onlin"),
    error(2, "--fields camra_id"),
  ],
  "cameras show": [people("front-door"), people("evil"), json("front-door"), error(3, "fron-door")],
  "cameras discover": [
    people("--timeout 1s"),
    json("--timeout 1s", { ownForm: true }),
    error(2, "--name Yard"),
    error(3, "--timeout 1s --add 2"),
  ],
  "cameras validate": [people("", { code: 7 }), json("", { code: 7 }), error(2, "extra")],
  "cameras test-name": [
    people("Front_01_20250314093015.jpg 'x/2025-03-14/001/jpg/09/30/15[M][0@0][0].jpg' --time-zone Europe/Berlin"),
    people("snap.jpg IMG_20250314_093015.jpg --camera front-door", { code: 7 }),
    json("PXL_20250314_093015123.jpg --time-zone Asia/Tokyo", { ownForm: true }),
    error(2, ""),
    error(2, "a.jpg --time-template %Y"),
    error(2, "a.jpg --time-zone Mars/Rover"),
    error(3, "a.jpg --camera fron-door"),
  ],
  "cameras gaps": [people(range), json(range, { ownForm: true }), error(2, backwards)],
  "cameras snapshot": [
    people("front-door --to first.jpg"),
    json("front-door --to second.jpg"),
    error(3, "yard"),
    error(5, "front-door --to visitor.jpg"),
  ],
  "cameras baseline show": [people("front-door"), json("front-door"), error(3, "fron-door")],
  "cameras baseline anomalies": [people("front-door"), json("front-door --days 30"), error(3, "fron-door")],
  "cameras masks list": [people(), json("--camera-id yard"), error(2, "--fields camra")],
  "cameras zones list": [people("front-door"), json("front-door"), error(3, "fron-door")],
  "cameras scene-changes list": [people("front-door"), json("front-door --no-acknowledged"), error(3, "fron-door")],

  "events list": [
    people(),
    people("--kind all --direct"),
    json("--risk-level high"),
    error(2, "--risk-level hgih"),
    error(2, "--since tomorrowish"),
  ],
  "events search": [people("ladder"), json("dog"), error(2, "-dog")],
  "events show": [people("42"), people("44"), json("42"), error(3, "999"), error(2, "front")],
  "events timeline": [people(morning), json(morning), error(2, "--timezone Mars/Rover")],
  "events stats": [people(), json("--camera-id yard"), error(2, "--camera yard")],
  "events export": [
    people("--to all.csv"),
    people("--to all.ndjson --direct"),
    json("--to all.xlsx"),
    error(5, "--to visitor.jpg"),
    error(2, "--format pdf"),
  ],

  "detections list": [people(), people("--direct -o csv"), json("--object-type dog"), error(2, "--min-confidence 2")],
  "detections search": [people("dog"), json("person"), error(2, "")],
  "detections show": [people("7"), json("7"), error(3, "999")],
  "detections labels": [people(), json(), error(2, "--limit 1")],
  "detections stats": [people(), json(), error(2, "--start-date x")],
  "detections image": [people("7"), json("7 --thumbnail --to small.jpg"), error(3, "8"), error(3, "999"), error(5, "7 --to visitor.jpg")],
  "events picture": [people("42"), json("42 --with-boxes --to seen.jpg"), error(3, "999"), error(5, "42 --to visitor.jpg")],

  "entities list": [people(), people("-o id --direct"), json("--object-type person"), error(2, "--object-typ person")],
  "entities show": [people(ids.entity), json(ids.entity), error(3, "nobody")],

  "rules list": [people(), people("-o ndjson --fields name,severity --direct"), json("--severity high"), error(2, "--severity hihg")],
  "rules show": [people("'Person at night'"), json("'Person at night'"), error(3, "'Person at nigt'")],
  "rules test": [
    people(`'Person at night' ${spring}`),
    people(`'Person at night' ${spring} --expect wanted.json`),
    json(`'Person at night' ${spring}`),
    error(2, "'Person at night' --expect nothing.json"),
    error(3, "'Person at night' --against 2"),
  ],

  "alerts list": [people(), people("-o id --direct"), json("--status pending"), error(2, "--status delivred")],
  "alerts show": [people(ids.alert), json(ids.alert), error(3, "nothing"), error(5, ids.alert.slice(0, 8))],
  "alerts tail": [error(2, "--direct"), error(2, "-o yaml"), error(2, "--state visitor.jpg")],
  "events tail": [error(2, "--types evnet"), error(2, "--fields sequnce")],

  "silence list": [people(), json("--status ended"), error(2, "--status over")],
  "silence show": [people(ids.silence), json(ids.silence), error(3, "nothing")],

  "modes list": [people(), json(), error(2, "--fields nam")],
  "modes history": [people(), json(), error(2, "--fields who")],

  "webhooks list": [people(), people("--fields name,enabled --direct"), json("--enabled-only"), error(2, "--enabled")],
  "webhooks show": [people("chat"), json("chat"), error(3, "chatt")],
  "webhooks deliveries": [
    people("chat"),
    people(`chat --delivery ${ids.delivery}`),
    json("chat"),
    error(2, "chat --limit 0"),
    error(3, "chat --delivery nothing"),
  ],
  "webhooks health": [people(), json(), error(2, "--fields total")],
  "webhooks listen": [error(2, "--port 0 --signing-secret-file token.txt"), error(2, "-o csv")],

  "notifications config": [people(), people("-o yaml --direct"), json(), error(2, "extra")],
  "notifications test": [people("email", { code: 1 }), json("webhook", { code: 1 }), error(2, "mail")],

  "analytics detections": [people(range), json(range), error(2, backwards)],
  "analytics risk": [people(range), json(range), error(2, backwards)],
  "analytics scores": [people(range), people(`${range} --direct`), json(range), error(2, backwards)],
  "analytics score-distribution": [
    people(`${range} --bucket-size 50`),
    json(`${range} --bucket-size 50`),
    error(2, `${range} --bucket-size 51`),
  ],
  "analytics objects": [people(range), json(range), error(2, backwards)],
  "analytics uptime": [people(range), json(range), error(2, backwards)],

  "workers list": [people("", { says: /^WORKER +STATE +MESSAGE\n(\w+ +(running|stopped).*\n)+$/ }), json(), error(2, "--direct")],
  // machine and process differ
  "workers daemons": [people("", { says: /^HOST +PID +ROLES +SINGLETONS\n\S+ +\d+ +api,\S+ .*\n$/ }), json(), error(2, "--direct")],
  // an open breaker has one more field
  "breakers list": [people(), json("", { lacks: ["reset_at"] }), error(2, "--direct")],
  "dlq list": [people(), people("detect"), json("--queue detect"), error(3, "--queue nothing"), error(2, "detect --queue detect")],
  "dlq show": [people("detect 17"), json("detect 17"), error(3, "detect 999")],
  // the hardware differs by machine
  "gpu show": [people("", { says: /^card +\S/ }), json(), error(2, "--fields load")],
  "gpu history": [people("--since 1h", { says: /^$|^TIME / }), json("--hours 1"), error(2, "--hours 200")],

  "keys generate": [people(), json("--count 2"), error(2, "--count 0")],
  // grows with every variable
  "config show": [people("--fields name,source", { says: /^NAME +SOURCE\nHOST +default\n/ }), json(), error(2, "--fields nam")],
  "config check": [people(), json("", { ownForm: true }), error(2, "--config nothing.conf")],
  // grows with every migration
  "db status": [people("", { says: /^VERSION +MIGRATION +STATE +APPLIED\n +1 {2}0001_init.sql +applied / }), json(), error(2, "extra")],
  "db migrate": [people(), json(), error(2, "--fields vesion")],
};
