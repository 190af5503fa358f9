import { ids } from "./furnish.ts";
import { error, json, people, type Steps, silent } from "./step.ts";

const noRule = (args = "'Person at nigt'") => error(3, args);
const noEvent = () => error(3, "999");
/** A camera that was just changed is answered without its newest picture. */
const onlyInLists = { lacks: ["preview_url", "blur_hash"] };

/**
 * Runs of commands that change something. Those with the same noun run in this order, because each needs the results of the earlier ones.
 */
export const changing: Steps = {
  // the detector of this home finds no people
  selftest: [people("--quiet", { code: 7 }), json("", { code: 7 }), error(2, "--timeout soon")],
  trigger: [
    people("visitor.jpg --camera garage"),
    json("visitor.jpg --camera garage"),
    error(3, "visitor.jpg --camera gargae"),
    error(2, "visitor.jpg"),
    error(2, "nothing.jpg --camera garage"),
    error(2, "token.txt --camera garage"),
  ],

  "cameras add": [
    people("Shed"),
    json("Attic --camera-id attic", onlyInLists),
    error(5, "Shed"),
    error(2, "Other --fields nmae"),
    error(2, "'' --camera-id x"),
    error(2, "Gate --pull ftp://127.0.0.1/x"),
    error(2, "Gate --every 5s"),
  ],
  "cameras update": [
    people("shed --name 'Old shed'"),
    people("shed --time-zone Asia/Kolkata --time-template hikvision --file-pattern 'ch01*'"),
    json("shed --name Shed --time-zone default --time-template auto --file-pattern none", onlyInLists),
    people("shed --parked off"),
    people("shed --parked on"),
    error(2, "shed --file-pattern '/ch01*'"),
    error(2, "shed --time-zone Mars/Rover"),
    error(2, "shed --time-template hikvison"),
    error(2, "shed"),
    error(3, "fron-door --name x"),
  ],
  "cameras remove": [people("attic"), silent("shed"), error(3, "fron-door"), error(5, "attic")],
  "cameras restore": [people("attic"), json("shed", onlyInLists), error(5, "front-door"), error(3, "fron-door")],
  "cameras connect": [
    people("garage --by ftp", { says: /password +[a-z2-9]{16}/ }),
    json("front-door --by mail --username porch"),
    error(5, "garage --by mail --username porch"),
    error(2, "garage"),
    error(3, "fron-door --by ftp"),
  ],
  "receivers rules": [
    people("front-door --rule 'garage=subject:*Channel A1' --rule 'yard=text:Alarm Input Channel No.: 2' --unmatched refuse"),
    people("front-door"),
    json("front-door --unmatched yard", onlyInLists),
    error(2, "front-door --rule 'garage=body:x'"),
    error(2, "front-door --rule 'nowhere=subject:x'"),
    error(2, "front-door --clear --unmatched yard"),
    error(3, "garage"),
    error(3, "fron-door"),
  ],
  "cameras disconnect": [people("garage"), silent("front-door --by mail"), error(3, "garage"), error(3, "fron-door")],
  "cameras baseline config": [
    people("front-door --threshold-stdev 3"),
    json("front-door"),
    error(2, "front-door --threshold-stdev 9"),
    error(3, "fron-door"),
  ],
  "cameras baseline reset": [people("front-door --yes"), json("front-door --yes"), error(2, "front-door"), error(3, "fron-door --yes")],
  "cameras zones add": [
    people("front-door driveway 0.1,0.4 0.5,0.4 '0.6,1 0,1'", { says: /^zone +driveway/ }),
    json("yard 'Back yard' 0,0.5 1,0.5 1,1 0,1 --private"),
    error(2, "front-door street 0.1,0.4 0.5,0.4", { says: /A zone needs at least 3 corners, this one has 2; add more/ }),
    error(2, "front-door street 0.1;0.4 0.5,0.4 1,1", { says: /must be corners X,Y from 0,0/ }),
    error(3, "fron-door street 0.1,0.4 0.5,0.4 1,1"),
  ],
  "cameras zones confirm": [people("front-door"), json("front-door"), error(3, "fron-door")],
  "cameras zones remove": [people("front-door driveway"), json("yard 'back yard'", { ownForm: true }), error(3, "front-door street")],
  "cameras masks remove": [people("8"), json("9", { ownForm: true }), error(3, "99")],
  "cameras scene-changes ack": [people("front-door 3"), json("front-door 4"), error(3, "front-door 99")],

  "events review": [
    people("43 --note 'the neighbour'"),
    people("--all --camera-id yard --note 'seen' --yes"),
    json("43 --undo"),
    json("--all --camera-id evil --yes", { ownForm: true }),
    error(2, "--all"),
    error(2, ""),
    noEvent(),
  ],
  "events note": [people("43 'his dog'"), json("43 ''"), error(3, "999 x")],
  "events delete": [people("44"), silent("43"), error(5, "44"), noEvent()],
  "events restore": [people("44"), json("43"), error(5, "44"), noEvent()],
  "events reanalyze": [people("42"), json("42"), noEvent()],

  "detections delete": [
    people("--all --object-type cat --yes"),
    json("8 --yes"),
    error(2, "7"),
    error(2, "--all --object-type person"),
    error(3, "999 --yes"),
  ],

  "rules add": [
    people("--name Serious --severity critical --risk-threshold 80 --cooldown 10m"),
    json("-f rules.yaml"),
    json("-f -", { input: "name: Piped in\n" }),
    error(2, "--name x --schedule sometimes"),
    error(2, ""),
    error(2, "-f token.txt"),
  ],
  "rules edit": [people("Serious"), json("'From a file'"), noRule()],
  "rules disable": [people("Serious"), json("Serious"), noRule()],
  "rules enable": [people("Serious"), json("Serious"), noRule()],
  "rules update": [
    people("Serious --risk-threshold 70 --cooldown 15m"),
    json("'From a file' --without schedule"),
    error(2, "Serious"),
    error(2, "Serious --risk-threshold 70 --without risk-threshold"),
    error(2, "Serious --risk-treshold 70"),
    error(3, "Seriuos --severity low"),
  ],
  "rules remove": [people("Serious --yes"), silent("'From a file' --yes"), error(2, "'Person at night'"), noRule("Serious --yes")],
  "alerts ack": [people(ids.alert), error(5, ids.alert), error(3, "nothing"), json(ids.otherAlerts[0])],
  "alerts dismiss": [people(ids.otherAlerts[1]), json(ids.otherAlerts[2]), error(5, ids.alert), error(3, "nothing")],
  "silence add": [
    people("--camera yard --for 2h --reason 'The painters are here'"),
    json("--rule 'Person at night' --for 15m --reason 'A party'"),
    error(2, "--camera yard --reason x"),
    error(2, "--for 2h --reason x"),
    error(3, "--camera yrd --for 2h --reason x"),
    error(3, "--rule Nobody --for 2h --reason x"),
  ],
  "silence end": [people("<newest>"), json("<newest>"), error(5, ids.silence), error(3, "nothing")],
  mode: [people("night"), json("away --now"), json("home"), error(3, "holiday"), error(2, "'Far away'")],
  "modes add": [
    people("holiday --exit-delay 2m"),
    json("party --schedule 'tue 03:00-03:01 Europe/Berlin'"),
    error(5, "holiday"),
    error(2, "Any --schedule sometime"),
  ],
  "modes update": [
    people("night --schedule 'mon 03:00-03:01 Europe/Berlin'"),
    json("night --schedule none"),
    error(2, "night"),
    error(3, "nigth --exit-delay 5"),
  ],
  "modes remove": [people("holiday"), silent("party"), error(5, "away"), error(3, "holiday")],
  cleanup: [people("--dry-run"), error(2, ""), json("--yes")],

  "webhooks add": [
    people("bell http://127.0.0.1:9/in --event-types alert_fired --auth bearer --secret-file token.txt"),
    json("lamp http://127.0.0.1:9/in --event-types alert_fired"),
    error(2, "x http://127.0.0.1:9 --event-types alert_fierd"),
    error(2, "x http://127.0.0.1:9"),
    error(2, "x http://169.254.169.254/ --event-types alert_fired"),
  ],
  "webhooks update": [people("bell --max-retries 2"), json("bell --name chime"), error(2, "chat"), error(3, "chatt --name x")],
  "webhooks disable": [people("chime"), json("chime"), error(3, "chatt")],
  "webhooks enable": [people("chime"), json("chime"), error(3, "chatt")],
  "webhooks test": [people("chat"), people("chime", { code: 1 }), json("chat"), error(3, "chatt")],
  "webhooks retry": [people(ids.delivery), json(ids.delivery), error(3, "nothing")],
  "webhooks rotate-secret": [people("chime"), json("chime"), error(3, "chatt")],
  "webhooks remove": [people("chime --yes"), silent("lamp --yes"), error(2, "chat"), error(3, "chatt --yes")],

  "channels add": [
    people("ntfy --server http://127.0.0.1:9 --topic home --name phone --secret-file token.txt"),
    json("ntfy --server http://127.0.0.1:9 --name tablet --no-test"),
    error(5, "ntfy --server http://127.0.0.1:9 --topic home --name phone"),
    error(2, "nfty --topic home"),
    error(2, "ntfy --topic 'a topic'"),
    error(2, "ntfy --server http://169.254.169.254"),
  ],
  "channels list": [people(), json(), error(2, "--fields nmae")],
  "channels show": [people("phone"), json("phone"), error(3, "fone")],
  "channels update": [people("phone --topic house"), json("tablet --name pad"), error(2, "phone"), error(3, "fone --name x")],
  "channels disable": [people("phone"), json("pad"), error(3, "fone")],
  "channels enable": [people("phone"), json("pad"), error(3, "fone")],
  "channels test": [people("phone", { code: 1 }), json("pad", { code: 1 }), error(3, "fone")],
  "channels remove": [people("phone --yes"), silent("pad --yes"), error(3, "fone"), error(3, "fone --yes")],

  "recipients add": [
    people("Anna --channels anna@example.org --hours 'mon-fri 07:00-22:00 Europe/Berlin' --severity high"),
    json("Ben --channels ben@example.org --escalate-to Anna --escalate-after 15m"),
    error(2, "Carl"),
    error(2, "Carl --channels carl@example.org --hours 25"),
    error(5, "anna --channels anna@example.org"),
  ],
  "recipients list": [people(), json(), error(2, "--fields nmae")],
  "recipients show": [people("Anna"), json("Ben"), error(3, "Carl")],
  "recipients update": [
    people("Anna --repeat-every 2m --without hours"),
    json("Ben --name Benno"),
    error(2, "Anna"),
    error(3, "Carl --name x"),
  ],
  "recipients remove": [people("Benno --yes"), silent("Anna --yes"), error(3, "Carl"), error(3, "Carl --yes")],

  "breakers reset": [people("detector"), json("detector"), error(3, "detecter")],
  "dlq purge": [error(2, "detect"), people("detect --job 17 --yes"), json("enrich --yes"), error(3, "nothing --yes")],
  "dlq requeue": [error(2, "--all"), people("detect"), json("analyze --job 18"), error(3, "nothing")],

  "events ignore": [
    error(2, "42 --detection 7", { says: /would have hidden [\s\S]* Not a terminal; add --yes/ }),
    error(3, "42 --detection 999 --yes"),
    noEvent(),
    people("42 --detection 7 --yes", { says: /^mask +10\ncamera +front-door\nclass +person\n/ }),
    json("42 --detection 7 --yes"),
  ],
  "events share": [
    people("42 --expires 2h", { says: /address +http:\/\/127\.0\.0\.1:\d+\/shared\/hs_[\w-]{43}\n/ }),
    json("42"),
    noEvent(),
    error(2, "42 --expires 1s", { says: /a duration from 60 s/ }),
  ],
  "shares list": [people("--status active", { says: /active/ }), json("--event 42"), error(2, "--status over", { says: /active, ended/ })],
  "shares revoke": [people("<newest>"), silent("<newest>"), error(3, "nothing", { says: /shares list/ })],

  "keys create": [
    people("anna --role resident --expires 30d", { says: /api key +hs_[\w-]{43}\n/ }),
    json("visitor --cameras front-door"),
    error(5, "anna --role resident", { says: /Another key has the name "anna"/ }),
    error(2, "bob --role guest", { says: /needs at least one camera/ }),
    error(2, "bob --role king", { says: /owner, resident, guest/ }),
    error(3, "bob --cameras fron-door", { says: /does not exist/ }),
  ],
  "keys invite": [
    people("carl --role resident", { says: /address +http:\/\/127\.0\.0\.1:\d+\/invite\/hs_[\w-]{43}\n/ }),
    json("dora --cameras front-door"),
    error(2, "carl", { says: /needs at least one camera/ }),
    error(3, "carl --cameras fron-door", { says: /does not exist/ }),
  ],
  "keys list": [
    people("--status active", { says: /anna +key +resident +active/ }),
    json(),
    error(2, "--status over", { says: /active, ended/ }),
  ],
  "keys changes": [
    people("", { says: /API_KEYS +owner +createKey +keys\// }),
    json("--subject events/1"),
    error(2, "--limit none", { says: /limit/ }),
  ],
  "keys revoke": [people("anna", { says: /^$/ }), silent("visitor"), error(3, "nobody", { says: /keys list/ })],

  "config set": [
    people("--high-from 55"),
    json("--reset risk_score_thresholds"),
    error(2, "SMTP_HOST=mail.test"),
    error(2, ""),
    error(2, "--high-from 90"),
  ],

  "db backup": [people("home.backup"), json("home.backup --yes"), error(5, "home.backup")],
  "db restore": [
    people("home.backup", { elsewhere: true }),
    json("home.backup --yes", { elsewhere: true }),
    error(5, "home.backup", { elsewhere: true }),
    error(5, "home.backup"),
    error(3, "nothing.backup", { elsewhere: true }),
    error(2, "damaged.backup", { elsewhere: true }),
  ],
};
