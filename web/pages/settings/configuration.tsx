import { ChevronRight } from "lucide-react";
import { useDeferredValue, useMemo } from "react";
import { useSearchParams } from "wouter";
import type { z } from "zod";
import { configGroups } from "../../../src/contract/constants.ts";
import { type ConfigVariable, configRoutes } from "../../../src/contract/routes/system-config.ts";
import { useReply } from "../../api/use-reply.ts";
import { CheckField, TextField } from "../../parts/fields.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { useFormat } from "../../texts/format.tsx";
import { LiveSettings } from "./configuration/live-settings.tsx";
import { RetentionRules } from "./configuration/retention.tsx";
import { SettingsFrame } from "./frame.tsx";

/** A configuration variable as the API returns it. */
export type VariableRecord = z.output<typeof ConfigVariable>;

/** What can be set here, and every variable with its value and where the value comes from. */
export default function ConfigurationPage() {
  const { configuration } = useAdminTexts();
  const variables = useReply(configRoutes.listVariables, {});
  return (
    <SettingsFrame title={configuration.title}>
      <Loaded reply={variables} waiting={<div className="h-dvh" />}>
        {(data) => (
          <>
            <LiveSettings variables={data.variables} />
            <RetentionRules />
            <Variables variables={data.variables} file={data.files[0]} />
          </>
        )}
      </Loaded>
    </SettingsFrame>
  );
}

function Variables({ variables, file }: { readonly variables: readonly VariableRecord[]; readonly file: string | undefined }) {
  const { configuration } = useAdminTexts();
  const [address, setAddress] = useSearchParams();
  const q = address.get("q") ?? "";
  const isShort = address.get("set") === "1";
  const sought = useDeferredValue(q.trim().toLowerCase());
  const change = (name: string, value: string): void =>
    setAddress(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const shown = useMemo(
    () =>
      variables.filter(
        ({ name, description, source }) => (!isShort || source !== "default") && `${name} ${description}`.toLowerCase().includes(sought),
      ),
    [variables, sought, isShort],
  );
  const isNarrowed = isShort || sought !== "";
  const groups = Object.keys(configGroups) as (keyof typeof configGroups)[];
  return (
    <Section title={configuration.all}>
      <p className="mb-3 text-sm text-soft">{configuration.how(file)}</p>
      <div className="mb-4 grid gap-3 sm:grid-cols-[1fr_auto] sm:items-end">
        <TextField label={configuration.find} type="search" value={q} onText={(text) => change("q", text)} />
        <CheckField label={configuration.onlySet} checked={isShort} onChecked={(isOn) => change("set", isOn ? "1" : "")} />
      </div>
      {shown.length === 0 && <Empty title={configuration.none} />}
      {groups.map((group) => {
        const its = shown.filter((variable) => variable.group === group);
        if (its.length === 0) return null;
        return (
          <details key={`${group} ${isNarrowed}`} open={isNarrowed} className="mb-3">
            <summary className="flex min-h-11 items-center gap-2 rounded-lg px-1 hover:bg-raised">
              <ChevronRight aria-hidden size={18} className="shrink-0 in-[details[open]>summary]:rotate-90" />
              <span className="font-semibold">{configuration.group[group]}</span>
              <span className="text-sm text-soft">{configuration.count(its.length)}</span>
            </summary>
            <ul className="rounded-xl border border-line bg-card px-4">
              {its.map((variable) => (
                <Row key={variable.name} variable={variable} />
              ))}
            </ul>
          </details>
        );
      })}
    </Section>
  );
}

function Row({ variable }: { readonly variable: VariableRecord }) {
  const { configuration } = useAdminTexts();
  const format = useFormat();
  const { name, value, unit, source, description, default: initial, live, setting, restart_needed } = variable;
  const isSet = source !== "default";
  return (
    <li className="border-b border-line py-3 last:border-0">
      <p className="flex flex-wrap justify-between gap-x-4">
        <code className="font-mono text-sm font-semibold break-all">{name}</code>
        <span className={`text-sm break-all ${isSet ? "font-semibold text-accent" : ""}`}>
          {valueText(value, configuration, format.number)}
          {unit !== null && value !== null && ` ${configuration.unit[unit as keyof typeof configuration.unit] ?? unit}`}
        </span>
      </p>
      <p className="text-sm">
        <DaemonText>{description}</DaemonText>
      </p>
      <p className="text-sm text-soft">
        {[
          isSet && configuration.source[source],
          isSet && initial !== null && configuration.initial(initial),
          setting !== null ? configuration.here : live ? configuration.live : configuration.restart,
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {restart_needed && <p className="text-sm font-medium text-high">{configuration.waits}</p>}
    </li>
  );
}

/** A value for a reader: numbers as they are written in the language, lists with commas, "not set" for none. */
function valueText(
  value: unknown,
  texts: { readonly notSet: string; readonly yes: string; readonly no: string },
  number: (value: number) => string,
): string {
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) return texts.notSet;
  if (typeof value === "boolean") return value ? texts.yes : texts.no;
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return value.map((each) => valueText(each, texts, number)).join(", ");
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([key, each]) => `${key} ${valueText(each, texts, number)}`)
      .join(", ");
  }
  return String(value);
}
