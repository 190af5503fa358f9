import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Problem } from "../../../src/contract/problem.ts";
import { configKey } from "../../../src/platform/config/config.ts";
import { commandLineVariables, environmentVariables } from "../../../src/platform/config/environment-variables.ts";
import { type ConfigInput, parseConfig } from "../../../src/platform/config/parse.ts";
import { type VariableName, variable, variableNames } from "../../../src/platform/config/variables.ts";

const base: ConfigInput = { env: {}, isRoot: false, home: "/home/ada", cwd: "/srv" };
const parse = (input: Partial<ConfigInput>) => parseConfig({ ...base, ...input });
const env = (values: Record<string, string>) => parse({ env: values });

function errorOf(input: Partial<ConfigInput>): Problem {
  try {
    parse(input);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("the configuration was taken");
}

describe("configuration defaults", () => {
  it("configuration defaults: match the documents", () => {
    const { config, sources, warnings } = parse({});
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      host: "127.0.0.1",
      port: 8000,
      dataDir: "/home/ada/.local/share/homesec",
      cameraRoot: "/home/ada/.local/share/homesec/cameras",
      cameraExtraRoots: [],
      databaseUrl: undefined,
      databasePoolSize: 10,
      redisUrl: undefined,
      detectorUrl: undefined,
      batchWindowSeconds: 90,
      batchIdleTimeoutSeconds: 30,
      batchMaxDetections: 500,
      parkedClasses: ["car", "truck", "bus", "bicycle", "motorcycle"],
      parkedAfterMinutes: 30,
      detectConcurrency: 4,
      analyzeConcurrency: 2,
      detectionConfidenceThreshold: 0.5,
      retentionDays: 30,
      logRetentionDays: 7,
      websocketIdleTimeoutSeconds: 300,
      languageModelReadTimeout: 120,
      apiKeyEnabled: false,
      apiKeys: [],
      rateLimitRequestsPerMinute: 60,
      rateLimitAiInferenceBurst: 3,
      smtpPort: 587,
      notificationEnabled: true,
      visionExtractionEnabled: true,
      healthCheckTimeoutSeconds: 5,
      maxConcurrentHealthChecks: 10,
      logFormat: undefined,
    });
    expect(new Set(Object.values(sources))).toEqual(new Set(["default"]));
  });

  it("configuration defaults: the data folder of root is under /var/lib", () => {
    const { config } = parse({ isRoot: true });
    expect(config.dataDir).toBe("/var/lib/homesec");
    expect(config.cameraRoot).toBe("/var/lib/homesec/cameras");
  });

  it("configuration defaults: pass their own checks", () => {
    for (const name of variableNames) {
      const given = variable(name).default;
      if (typeof given === "string") expect(variable(name).kind.schema.safeParse(given).success, name).toBe(true);
    }
  });
});

describe("configuration precedence", () => {
  const file = { name: "homesec.conf", text: "PORT=1\nRETENTION_DAYS=11\nLOG_LEVEL=warn\nHOST=10.0.0.1" };
  const envFile = { name: ".env", text: "PORT=2\nRETENTION_DAYS=12\nLOG_LEVEL=error" };

  it("configuration precedence: flag, environment, .env, file, default", () => {
    const { config, sources } = parse({ configFile: file, envFile, env: { PORT: "3", RETENTION_DAYS: "13" }, flags: { PORT: "4" } });
    expect([config.port, config.retentionDays, config.logLevel, config.host]).toEqual([4, 13, "error", "10.0.0.1"]);
    expect(sources).toMatchObject({ PORT: "flag", RETENTION_DAYS: "environment", LOG_LEVEL: ".env", HOST: "file", SMTP_PORT: "default" });
  });

  it("configuration precedence: empty values are skipped", () => {
    const { config, sources } = parse({ configFile: file, env: { PORT: "", RETENTION_DAYS: "  " } });
    expect([config.port, config.retentionDays, sources.PORT]).toEqual([1, 11, "file"]);
    expect(env({ DATABASE_URL: "" }).config.databaseUrl).toBeUndefined();
  });

  it("configuration precedence: accepts a JSON file", () => {
    const text = JSON.stringify({ PORT: 9000, API_KEY_ENABLED: true, API_KEYS: ["one", "two"], HOST: null });
    const { config } = parse({ configFile: { name: "c.json", text } });
    expect([config.port, config.apiKeyEnabled, config.apiKeys, config.host]).toEqual([9000, true, ["one", "two"], "127.0.0.1"]);
  });
});

describe("configuration errors", () => {
  it("configuration errors: are listed all at once, with name, value, source and accepted values", () => {
    const problem = errorOf({
      env: { PORT: "80000", LOG_LEVEL: "loud", BATCH_WINDOW_SECONDS: "0" },
      envFile: { name: ".env", text: "API_KEY_ENABLED=maybe" },
      configFile: { name: "my.conf", text: "DETECTOR_URL=ftp://x\nBATCH_WINDOW_SECOND=3" },
    });
    expect(problem.kind).toBe("invalid");
    expect(problem.message.split("\n")).toEqual([
      "the configuration has 6 errors:",
      '  my.conf, line 2: there is no variable "BATCH_WINDOW_SECOND"; did you mean BATCH_WINDOW_SECONDS?',
      '  PORT="80000" (environment): must be a whole number from 0 to 65535',
      '  API_KEY_ENABLED="maybe" (.env, line 1): must be true or false (also 1/0, yes/no, on/off)',
      '  BATCH_WINDOW_SECONDS="0" (environment): must be a whole number from 1 to 86400 (seconds)',
      '  DETECTOR_URL="ftp://x" (my.conf, line 1): must be an http:// or https:// address without user name and query; with deepstack+ in front for CodeProject.AI, Blue Onyx and DeepStack; or up to 8 of them separated by commas, one of which may be built-in',
      '  LOG_LEVEL="loud" (environment): must be one of debug, info, warn, error',
    ]);
  });

  it("configuration errors: missing TLS files are named together with other errors", () => {
    const { message } = errorOf({ env: { TLS_MODE: "provided", PORT: "x" } });
    expect(message).toContain("TLS_CERT_PATH is not set");
    expect(message).toContain("TLS_KEY_PATH is not set");
    expect(message).toContain("PORT=");
  });

  it("configuration errors: API keys enabled without a key are refused, with the command that creates one", () => {
    expect(errorOf({ env: { API_KEY_ENABLED: "true", API_KEYS: " , " } }).message).toMatch(/API_KEYS is not set.*homesec keys generate/);
  });

  it("configuration errors: never show secrets", () => {
    const { message } = errorOf({
      env: {
        DEFAULT_WEBHOOK_URL: "ftp://hooks.example/geheim1",
        DATABASE_URL: "mysql://ada:geheim2@db/x",
        REDIS_URL: "http://:geheim3@cache:1",
        API_KEYS: '["geheim4", 5]',
      },
    });
    expect(message).not.toContain("geheim");
    for (const name of ["DEFAULT_WEBHOOK_URL=***", "API_KEYS=***", "DATABASE_URL=", "REDIS_URL="]) expect(message).toContain(name);
  });

  it("configuration errors: a file may contain environment-only names, since systemd uses it as the environment", () => {
    const names = [...Object.keys(commandLineVariables), ...Object.keys(environmentVariables)];
    expect(names).toEqual(expect.arrayContaining(["TZ", "NODE_EXTRA_CA_CERTS", "HOMESEC_API_KEY", "HOMESEC_SIGNING_SECRET"]));
    const text = names.map((name) => `${name}=x`).join("\n");
    expect(parse({ configFile: { name: "/etc/homesec.env", text }, envFile: { name: ".env", text } }).warnings).toEqual([]);
    expect(env(Object.fromEntries(names.map((name) => [name, "x"]))).warnings).toEqual([]);
  });

  it("configuration errors: a broken JSON file is reported without its content", () => {
    expect(errorOf({ configFile: { name: "c.json", text: '{"PORT":' } }).message).toContain("c.json: not valid JSON");
    const secret = errorOf({ configFile: { name: "c.json", text: '{\n  "SMTP_PASSWORD": geheim\n}' } }).message;
    expect(secret).toContain("c.json: not valid JSON");
    expect(secret).not.toContain("geheim");
    expect(errorOf({ configFile: { name: "c.json", text: "[]" } }).message).toContain("one JSON object");
    expect(errorOf({ configFile: { name: "c.json", text: '{"PORT":{}}' } }).message).toContain("PORT must be a text");
  });
});

describe("an unquoted # in a value", () => {
  const warned = (text: string, name = ".env") =>
    parse(name === ".env" ? { envFile: { name, text } } : { configFile: { name, text } }).warnings.join("\n");

  it("an unquoted #: cuts the value and warns with line and fix, without the value", () => {
    const text = "# SMTP_USER=a#b\nSMTP_HOST=mail.example.com\nSMTP_PASSWORD=ab#cd";
    expect(warned(text)).toContain(
      `.env, line 3: the value of SMTP_PASSWORD ends before the "#"; if the # belongs to it, write SMTP_PASSWORD='...'`,
    );
    expect(warned(text)).not.toContain("ab");
    expect(warned("SMTP_PASSWORD=#secret")).toContain("SMTP_PASSWORD");
    expect(warned("export API_KEYS=one,two#three", "my.conf")).toContain("my.conf, line 1: the value of API_KEYS");
  });

  it.each([
    "SMTP_PASSWORD='ab#cd'",
    'SMTP_PASSWORD="ab#cd"',
    "SMTP_PASSWORD=ab # a comment",
    "SMTP_PASSWORD=# a comment",
    "SMTP_PASSWORD=#",
    "OTHER=ab#cd",
  ])("an unquoted #: %s needs no warning", (text) => {
    expect(warned(text)).not.toContain("#");
  });
});

describe("a line without =", () => {
  const message = (number: number, file = ".env") =>
    `${file}: line ${number} has no "="; write NAME=value, or begin it with # if it is a comment`;

  it("a line without =: is an error if it is meant for homesec or swallows the next variable", () => {
    const dotEnv = (text: string) => errorOf({ envFile: { name: ".env", text } }).message;
    expect(dotEnv("PORT=9000\n\nSMTP_HOST: mail.example.com\nAPI_KEY_ENABLED=true\nAPI_KEYS=one")).toContain(message(3));
    // Newer versions of Node.js skip the line, so the variable after it takes effect
    const next = dotEnv("for all who ask\n\n# yes\nexport API_KEY_ENABLED=true");
    expect(next.includes(message(1)) || next.includes("API_KEYS is not set: API_KEY_ENABLED=true")).toBe(true);
    const errors = errorOf({ configFile: { name: "my.conf", text: "sentence\r\nPORT=1\r\nanother" } }).message;
    expect(errors).toContain(message(1, "my.conf"));
    expect(errors).toContain(message(3, "my.conf"));
  });

  it("a line without =: is allowed within a value and among another program's variables", () => {
    const text = "# PORT\nPORT=9000\nKEY='-----BEGIN\nPORT\nEND'\n[section]\nOTHER=1\n";
    const { config, warnings } = parse({ envFile: { name: ".env", text } });
    expect([config.port, warnings]).toEqual([9000, []]);
  });
});

describe("configuration warnings", () => {
  it("configuration warnings: name unknown HOMESEC_ variables and typing errors in .env", () => {
    const { warnings } = parse({
      env: { HOMESEC_PORT: "1", HOMESEC_URL: "http://x", HOMESEC_URI: "x", PROT: "1", HOMESEC_API_KEY: "x" },
      envFile: { name: ".env", text: "REDIS_URI=x\nPOSTGRES_USER=ada" },
    });
    expect(warnings).toEqual([
      "the environment: there is no variable HOMESEC_PORT, it has no effect; did you mean PORT?",
      "the environment: there is no variable HOMESEC_URI, it has no effect; did you mean HOMESEC_URL?",
      ".env: there is no variable REDIS_URI, it has no effect; did you mean REDIS_URL?",
    ]);
  });

  it("configuration warnings: roles that leave a task to no daemon, and unknown roles, are refused", () => {
    expect(errorOf({ env: { ROLES: "api,detect" } }).message).toMatch(
      /ROLES is api, detect: no daemon would run the other roles \(receive, watch, .*DATABASE_URL/,
    );
    expect(errorOf({ env: { ROLES: "api,fly" } }).message).toMatch(
      /ROLES="api,fly" \(environment\): must be all, or some of api, receive, watch,/,
    );
    expect(errorOf({ env: { ROLES: " , " } }).message).toContain("must be all, or some of");
  });

  it.each([
    [{ HOST: "0.0.0.0" }, "no API key is required"],
    [{ ROLES: "api", DATABASE_URL: "postgres://db/x" }, "each daemon with the role api counts rate limits separately"],
    [{ API_KEYS: "a" }, "no effect without API_KEY_ENABLED"],
    [{ API_KEY_ENABLED: "true", API_KEYS: "long-enough-to-be-safe,short" }, "a key of fewer than 16 characters, which can be guessed"],
    [{ BATCH_IDLE_TIMEOUT_SECONDS: "100" }, "longer than BATCH_WINDOW_SECONDS"],
    [{ TLS_CERT_PATH: "/x" }, "no effect without TLS_MODE"],
    [{ SMTP_HOST: "mail.example.org" }, "the email channel is off: it needs SMTP_FROM_ADDRESS and DEFAULT_EMAIL_RECIPIENTS"],
    [{ SMTP_HOST: "mail.example.org", SMTP_FROM_ADDRESS: "a@example.org" }, "the email channel is off: it needs DEFAULT_EMAIL_RECIPIENTS"],
    [{ SMTP_FROM_ADDRESS: "a@example.org", DEFAULT_EMAIL_RECIPIENTS: "b@example.org" }, "the email channel is off: it needs SMTP_HOST"],
    [{ DETECTOR_URL: "http://d", DETECTOR_SECOND_OPINION_BELOW: "0.7" }, "DETECTOR_URL does not name two detectors"],
    [{ DETECTOR_URL: "http://d,built-in", DETECTOR_SECOND_OPINION_BELOW: "0.4" }, "0.4 is not above DETECTION_CONFIDENCE_THRESHOLD (0.5)"],
    [{ DETECTOR_URL: "http://d", DETECTOR_MODEL_PATH: "/m" }, "DETECTOR_MODEL_PATH has no effect"],
  ])("configuration warnings: %j", (values, text) => {
    expect(env(values as Record<string, string>).warnings.join("\n")).toContain(text);
  });
});

describe("configuration values", () => {
  it.each([
    ["true", true],
    ["1", true],
    ["YES", true],
    ["on", true],
    ["False", false],
    ["0", false],
    ["no", false],
    ["off", false],
  ])("configuration values: boolean %s", (text, value) => {
    expect(env({ REID_ENABLED: text }).config.reidEnabled).toBe(value);
  });

  it.each([
    ['["a", "b"]', ["a", "b"]],
    ["a,b", ["a", "b"]],
    [" a , ,b, ", ["a", "b"]],
    ["[]", []],
  ])("configuration values: keys %s", (text, value) => {
    expect(env({ API_KEYS: text }).config.apiKeys).toEqual(value);
  });

  it.each([
    ["all", "api receive watch detect analyze alert deliver maintain"],
    ["", "api receive watch detect analyze alert deliver maintain"],
    [" Detect,api,detect", "api detect"],
    ["api,all", "api receive watch detect analyze alert deliver maintain"],
  ])("configuration values: roles %j", (text, value) => {
    expect(env({ ROLES: text, DATABASE_URL: "postgres://db/x" }).config.roles.join(" ")).toBe(value);
  });

  it("configuration values: paths become absolute and ~ is expanded", () => {
    const { config } = env({ DATA_DIR: "~/x/", CAMERA_EXTRA_ROOTS: "/a/,b", DETECTOR_MODEL_PATH: "m.onnx" });
    expect([config.dataDir, config.cameraRoot, config.cameraExtraRoots, config.detectorModelPath]).toEqual([
      "/home/ada/x",
      "/home/ada/x/cameras",
      ["/a", "/srv/b"],
      "/srv/m.onnx",
    ]);
  });

  it("configuration values: listen and mail addresses may be IPv6 in brackets, and loopback needs no key", () => {
    const { config, warnings } = env({ HOST: "[::1]", SMTP_HOST: "[fd00::25]" });
    expect([config.host, config.smtpHost]).toEqual(["::1", "fd00::25"]);
    expect(warnings.join()).not.toContain("API key");
  });

  it.each([
    ["CORS_ORIGINS", '["http://localhost:3000","https://home.example"]', true],
    ["CORS_ORIGINS", "*", false],
    ["CORS_ORIGINS", "http://localhost:3000/", false],
    ["TRUSTED_PROXY_IPS", "10.0.0.0/8, ::1, fd00::/64", true],
    ["TRUSTED_PROXY_IPS", "10.0.0.0/33", false],
    ["TRUSTED_PROXY_IPS", "proxy", false],
    ["ALLOWED_HOSTS", "home.example,*.lan", true],
    ["ALLOWED_HOSTS", "a b", false],
    ["DATABASE_URL", "postgresql:///db?host=/run/postgresql&user=u", true],
    ["DATABASE_URL", "http://db", false],
    ["DATABASE_URL", "postgres://u:%zz@db/x", false],
    ["REDIS_URL", "redis://:%zz@db", false],
    ["LANGUAGE_MODEL_URL", "http://user:pw@host", false],
    ["LANGUAGE_MODEL_READ_TIMEOUT", "120.0", true],
    ["LANGUAGE_MODEL_READ_TIMEOUT", "0", false],
    ["DETECTION_CONFIDENCE_THRESHOLD", "1.01", false],
    ["SMTP_FROM_ADDRESS", "Home <home@example.org>", true],
    ["SMTP_FROM_ADDRESS", "home", false],
    ["DEFAULT_EMAIL_RECIPIENTS", "a@b.c,d@e.f", true],
    ["DEFAULT_WEBHOOK_URL", "https://hooks.example/a?token=b#c", true],
    ["DEFAULT_WEBHOOK_URL", "https://user:pw@hooks.example/a", false],
    ["HOST", "::", true],
    ["DETECTOR_URL", "deepstack+http://d:32168", true],
    ["DETECTOR_URL", "deepstack+ftp://d", false],
    ["DETECTOR_URL", "deepstack+http://user@d", false],
    ["DETECTOR_URL", "http://d,ftp://e", false],
    ["DETECTOR_URL", ",", false],
    ["VISION_URL", "deepstack+http://d", false],
    ["HOST", "a/b", false],
    ["DATA_DIR", "a\0b", false],
  ])("configuration values: %s=%s", (name, text, good) => {
    if (good) expect(env({ [name]: text }).sources[name as VariableName]).toBe("environment");
    else expect(errorOf({ env: { [name]: text } }).message).toContain(`${name}=`);
  });

  it("configuration values: the slash at the end of a service URL is removed", () => {
    expect(env({ DETECTOR_URL: "http://d:1/api//" }).config.detectorUrl).toBe("http://d:1/api");
    expect(env({ DETECTOR_URL: "DeepStack+https://d:1/api//" }).config.detectorUrl).toBe("deepstack+https://d:1/api");
  });

  it("configuration values: several detectors are a list, each once", () => {
    const { config } = env({ DETECTOR_URL: " http://d:1/ , deepstack+http://e, Built-In,http://d:1" });
    expect(config.detectorUrl).toBe("http://d:1,deepstack+http://e,built-in");
  });
});

describe("any configuration", () => {
  const anything = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("1e400", "-0", "[", '["', "NaN", "http://[", "//", "~"),
  );
  const named = fc.dictionary(fc.oneof(fc.constantFrom<string>(...variableNames), fc.string()), anything);

  it("any configuration: throws only Problem, or has a value for every variable", () => {
    fc.assert(
      fc.property(named, anything, anything, fc.boolean(), (values, envText, fileText, isJson) => {
        const configFile = { name: isJson ? "x.json" : "x.conf", text: fileText };
        try {
          const { config } = parse({ env: values, envFile: { name: ".env", text: envText }, configFile });
          expect(Object.keys(config).sort()).toEqual(variableNames.map(configKey).sort());
        } catch (error) {
          if (!(error instanceof Problem && error.kind === "invalid")) throw error;
        }
      }),
      { numRuns: 400 },
    );
  });
});
