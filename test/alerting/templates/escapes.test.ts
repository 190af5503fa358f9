import { expect, test } from "vitest";
import { compileTemplate, renderTemplate, TemplateError } from "../../../src/alerting/templates/template.ts";

// Known escapes from template engines, and inputs that keep them busy. `null`: refused. A text: harmless, with exactly this output.
const payloads: readonly (readonly [payload: string, output: string | null])[] = [
  // Python's ways to the interpreter.
  ["{{ ''.__class__ }}", null],
  ["{{ ''.__class__.__mro__[1].__subclasses__() }}", null],
  ["{{ ''['__class__']['__base__'] }}", null],
  ["{{ ''['__cla' ~ 'ss__'] }}", null],
  ["{{ ''['\\x5f\\x5fclass\\x5f\\x5f'] }}", null],
  ["{{ ''|attr('__class__') }}", null],
  ["{{ ''|attr('__cla' ~ 'ss__')|attr('__base__') }}", null],
  ["{{ ''|attr('%c%cclass%c%c'|format(95,95,95,95)) }}", null],
  ["{{ ['']|map('attr','__class__')|list }}", null],
  ["{{ ['']|map(attribute='__class__')|list }}", null],
  ["{{ ['']|map(attribute='__class__.__mro__')|list }}", null],
  ["{{ ['']|sort(attribute='__class__') }}", null],
  ["{{ ['']|groupby('__class__') }}", null],
  ["{{ ['']|sum(attribute='__class__.__init__') }}", null],
  ["{{ ['']|selectattr('__class__')|list }}", null],
  ["{{ {}.__init__.__globals__ }}", null],
  ["{{ range.__globals__ }}", null],
  ["{{ range|attr('__globals__') }}", null],
  ["{{ dict.__base__.__subclasses__() }}", null],
  ["{{ dict.mro() }}", null],
  ["{{ cycler.__init__.__globals__.os.popen('id').read() }}", null],
  ["{{ joiner.__init__.__globals__.os.popen('id').read() }}", null],
  ["{{ namespace.__init__.__globals__.os.popen('id').read() }}", null],
  ["{{ lipsum.__globals__['os'].popen('id').read() }}", null],
  ["{{ (lipsum|attr('__globals__'))['os'] }}", null],
  ["{{ self.__init__.__globals__ }}", null],
  ["{{ self._TemplateReference__context }}", null],
  ["{{ config.items() }}", null],
  ["{{ config }}", ""],
  ["{{ request.application.__globals__ }}", null],
  ["{{ request|attr('application') }}", null],
  ["{{ get_flashed_messages.__globals__ }}", null],
  ["{{ url_for.__globals__ }}", null],
  ["{{ g.pop.__globals__ }}", null],
  ["{{ '{0.__class__}'.format(1) }}", null],
  ["{{ '{a.__init__.__globals__}'.format_map({'a': 1}) }}", null],
  ["{{ ('{0.__class__}'|safe).format(1) }}", null],
  ["{{ '%(__class__)s' % {} }}", null],
  ["{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}", null],
  ["{% macro m() %}{% endmacro %}{{ m.__globals__ }}", null],
  ["{% macro m() %}{% endmacro %}{{ m._func }}", null],
  ["{% macro m() %}{% endmacro %}{{ m|attr('_environment') }}", null],
  ["{% for x in [1] %}{{ loop._iterator }}{% endfor %}", null],
  ["{% for x in [1] %}{{ loop.__init__ }}{% endfor %}", null],
  ["{% include '/etc/passwd' %}", null],
  ["{% import 'os' as os %}{{ os.popen('id') }}", null],
  ["{% from 'os' import popen %}", null],
  ["{% extends '/etc/passwd' %}", null],
  ["{% do [].append(1) %}", null],
  ["{{ open('/etc/passwd').read() }}", null],
  ["{{ __import__('os').system('id') }}", null],
  ["{{ __builtins__ }}", null],
  ["{{ eval('1+1') }}", null],
  // JavaScript's ways to the interpreter.
  ["{{ range.constructor('return process')() }}", null],
  ['{{ range.constructor(\'return global.process.mainModule.require("child_process").execSync("id")\')() }}', null],
  ["{{ constructor.constructor('return this')() }}", null],
  ["{{ ({}).constructor.constructor('return process')() }}", null],
  ["{{ {}.constructor.constructor }}", null],
  ["{{ {}['constructor']['constructor'] }}", null],
  ["{{ [].constructor }}", ""],
  ["{{ ''.constructor }}", ""],
  ["{{ ''['constructor'] }}", ""],
  ["{{ (1).constructor }}", ""],
  ["{{ event.toString }}", ""],
  ["{{ event.toString() }}", null],
  ["{{ event.hasOwnProperty('id') }}", null],
  ["{{ event.__proto__ }}", null],
  ["{{ event['__proto__'] }}", null],
  ["{{ event|attr('constructor') }}", ""],
  ["{{ [event]|map(attribute='constructor.constructor')|list }}", null],
  ["{{ constructor }}{{ hasOwnProperty }}{{ toString }}{{ valueOf }}", ""],
  ["{{ process }}{{ global }}{{ globalThis }}{{ require }}{{ module }}{{ this }}", ""],
  ["{{ require('fs') }}", null],
  ["{{ process.env }}", null],
  ["{{ globalThis.process }}", null],
  ["{{ import('fs') }}", null],
  ["{{ range(3).forEach(alert) }}", null],
  ["{{ [1].map(range) }}", null],
  ["{{ 'a'.replace('a', range) }}", null],
  ["{{ 'a'|replace('a', '$&$`') }}", "$&$`"],
  ["{{ `\u0024{process.env}` }}", null],
  ["{{ function() { return 1 }() }}", null],
  ["{{ x => x }}", null],
  ["\u0024{process.env.HOME} <%= process.env %> #{1+1}", "\u0024{process.env.HOME} <%= process.env %> #{1+1}"],
  // Writes to shared objects.
  ["{% set __proto__ = {'polluted': 1} %}", null],
  ["{% set event.__proto__ = 1 %}", null],
  ["{% set event.polluted = 1 %}", null],
  ["{% set ns = namespace() %}{% set ns.__proto__ = 1 %}", null],
  ["{% set ns = namespace(__proto__=1, constructor=2) %}{{ ns.constructor }}", "2"],
  ["{% set d = {'__proto__': {'polluted': 1}} %}{{ d.polluted }}", ""],
  ["{% set d = dict([('__proto__', {'polluted': 1})]) %}{{ d|tojson }}", '{"__proto__": {"polluted": 1}}'],
  ["{% set constructor = 1 %}{{ constructor }}", "1"],
  ["{{ event.update({'polluted': 1}) }}", null],
  ["{{ event.pop('id') }}", null],
  ["{{ event.secret }}{{ event.run }}", ""],
  // Endless loops, and memory exhaustion.
  ["{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}", null],
  ["{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", null],
  ["{% for a in range(1000000000) %}x{% endfor %}", null],
  ["{{ range(10 ** 18)|list }}", null],
  ["{{ range(0, -1000000000, -1)|length }}", null],
  ["{{ 'a' * 10 ** 9 }}", null],
  ["{{ 10 ** 9 * 'a' }}", null],
  ["{{ [0] * 10 ** 9 }}", null],
  ["{{ [] * 10 ** 9 }}", "[]"],
  ["{{ 9 ** 9 ** 9 ** 9 }}", null],
  ["{{ 2 ** 10000000000 }}", null],
  ["{{ 10 ** 300 * 10 ** 300 }}", null],
  ["{{ 'a'|center(10 ** 9) }}", null],
  ["{{ 'a'.ljust(999999999) }}", null],
  ["{{ '%1000000000d' % 1 }}", null],
  ["{{ '%.1000000000f' % 1 }}", null],
  ["{{ 'a'|indent(10 ** 9, true) }}", null],
  ["{{ [1]|batch(10 ** 9, 'x')|list }}", null],
  ["{{ [1]|slice(10 ** 9)|list }}", null],
  ["{{ [1]|tojson(10 ** 9) }}", null],
  ["{{ 1.5|round(10 ** 12) }}", null],
  ["{{ 1|round(10 ** 9, 'ceil') }}", null],
  ["{{ ('a' * 100000)|replace('', 'b' * 100000) }}", null],
  ["{{ ('a,' * 100000).split(',')|join('b' * 1000) }}", null],
  ["{% set x = 'aaaaaaaaaaaaaaaa' %}{% for i in range(60) %}{% set ns = namespace(x=x) %}{% endfor %}{{ ns }}", ""],
  ["{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}", null],
  ["{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}", null],
  ["{% set ns = namespace(x=(1,)) %}{% for i in range(60) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ ns.x }}", null],
  [
    "{% set ns = namespace(x=(1,), y=(1,)) %}{% for i in range(60) %}{% set ns.x = (ns.x, ns.x) %}{% set ns.y = (ns.y, ns.y) %}{% endfor %}{{ ns.x == ns.y }}",
    null,
  ],
  ["{% set ns = namespace(x=(1,)) %}{% for i in range(60) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ {ns.x: 1} }}", null],
  ["{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|tojson }}", null],
  ["{% set ns = namespace(x=[1]) %}{% for i in range(5000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}", null],
  ["{% set ns = namespace(x=[1]) %}{% for i in range(5000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ [ns.x, ns.x]|sort }}", null],
  ["{% set ns = namespace() %}{% set ns.x = [ns] %}{{ ns.x }}", null],
  ["{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", null],
  ["{% macro m(n) %}{{ m(n + 1) }}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}", null],
  ["{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}", null],
  ["{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{{ caller() }}{% endmacro %}{% call m() %}x{% endcall %}", null],
  ["{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}", null],
  ["{% for x in [1, 2] recursive %}{{ loop([1, 2]) }}{% endfor %}", null],
  [`{{ ${"(".repeat(5000)}1${")".repeat(5000)} }}`, null],
  [`{{ ${"[".repeat(10000)} }}`, null],
  [`{{ ${"not ".repeat(5000)}1 }}`, null],
  [`{{ ${"-".repeat(10000)}1 }}`, null],
  [`{{ 1${" + 1".repeat(5000)} }}`, null],
  [`{{ a${".a".repeat(10000)} }}`, null],
  [`{{ 1${"|abs".repeat(5000)} }}`, null],
  [`{{ 1${" if 1 else 1".repeat(2000)} }}`, null],
  ["{% if 1 %}".repeat(3000), null],
  ["{% for x in range(99) %}".repeat(30) + "{% endfor %}".repeat(30), null],
  [`{{ (${"1,".repeat(10000)})|length }}`, "10000"],
  [`{{ ${"9".repeat(30000)} }}`, null],
  ["{{".repeat(16000), null],
  ["{#".repeat(16000), null],
  ["{% raw %}".repeat(3000), null],
  ["x".repeat(40000), null],
  ["{{ ('<' * 200000)|striptags|length }}", "200000"],
  ["{{ ('<!--' * 50000)|striptags|length }}", "200000"],
  ["{{ ('<!---->' * 30000)|striptags|length }}", "0"],
  ["{{ ('&' * 200000)|striptags|length }}", "200000"],
  ["{{ ('a ' * 100000)|wordcount }}", "100000"],
  ["{{ (' ' * 200000)|trim|length }}", "0"],
  ["{{ ('-' * 200000)|title|length }}", "200000"],
  ["{{ (' ' * 200000 ~ 'x')|int }}", "0"],
  ["{{ ('1' * 200000)|int }}", "0"],
  ["{{ ('1_' * 100000)|float }}", "0.0"],
  ["{{ ('%' * 100000) % () }}", "%".repeat(50000)],
  ["{{ ('%s' * 100000) % (1,) }}", null],
  ["{{ ('(' * 100000) % () }}", null],
  ["{{ ('%(' * 100000) % {} }}", null],
  ["{{ ('\\n' * 200000)|indent(100, blank=true) }}", null],
];

test("template escapes: the list has at least forty attempts", () => expect(payloads.length).toBeGreaterThanOrEqual(40));

test.each(payloads)("template escapes: %s reads nothing and runs nothing", (payload, output) => {
  let ran = false;
  const event = {
    id: 7,
    get secret() {
      ran = true;
      return "secret";
    },
    run: () => {
      ran = true;
    },
  };
  const before = process.cpuUsage();
  const outcome = attempt(payload, { event });
  // Processor time, so that a busy machine does not matter.
  const used = process.cpuUsage(before);
  expect(outcome).toEqual(output === null ? { line: expect.any(Number), name: expect.stringMatching(/./) } : output);
  expect((used.user + used.system) / 1000).toBeLessThan(300);
  expect(ran).toBe(false);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  expect(event).not.toHaveProperty("polluted");
});

function attempt(payload: string, values: Record<string, unknown>): string | { line: number; name: string } {
  try {
    return renderTemplate(compileTemplate(payload), values);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { line: error.line, name: error.name };
  }
}
