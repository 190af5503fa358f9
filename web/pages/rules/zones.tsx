import { useId } from "react";
import { zoneRoutes } from "../../../src/contract/routes/zones.ts";
import { useReply } from "../../api/use-reply.ts";
import { inputLook } from "../../parts/fields.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import type { Draft } from "./draft.ts";
import { Chip, Chips, FieldNotes, Group, toggled } from "./fields.tsx";

interface PartProps {
  readonly draft: Draft;
  readonly change: (changed: Partial<Draft>) => void;
}

/** Where something must be, and where it does not count. Zones of several cameras with the same name are one choice. */
export function ZonesFields({ draft, change }: PartProps) {
  const { rules } = useMoreTexts();
  const { data } = useReply(zoneRoutes.listAllZones, {});
  const known = (data?.zones ?? []).filter(({ camera_id }) => draft.camera_ids?.includes(camera_id) ?? true).map(({ name }) => name);
  const named = [...(draft.zones ?? []), ...(draft.not_zones ?? [])];
  const names = [...new Map([...known, ...named].map((name) => [name.toLowerCase(), name])).values()];
  if (names.length === 0) return null;
  const choices = (field: "zones" | "not_zones") => (
    <Chips>
      {names.map((name) => (
        <Chip
          key={name}
          isOn={draft[field]?.some((chosen) => chosen.toLowerCase() === name.toLowerCase()) ?? false}
          onChange={(isOn) => change({ [field]: toggled(draft[field], name, isOn) })}
        >
          {name}
        </Chip>
      ))}
    </Chips>
  );
  return (
    <>
      <Group title={rules.zonesTitle} hint={rules.zonesHint} field="zones">
        {choices("zones")}
      </Group>
      <Group title={rules.notZonesTitle} field="not_zones">
        {choices("not_zones")}
      </Group>
    </>
  );
}

/** The least height of a detection. */
export function SizeField({ draft, change }: PartProps) {
  const { rules } = useMoreTexts();
  const id = useId();
  return (
    <div className="mb-5">
      <label htmlFor={id} className="font-semibold">
        {rules.sizeTitle}
      </label>
      <input
        id={id}
        type="number"
        inputMode="numeric"
        step="any"
        placeholder={rules.anyConfidence}
        value={draft.min_size === null ? "" : Number((draft.min_size * 100).toFixed(4))}
        onChange={({ target }) => change({ min_size: target.value === "" ? null : Number((Number(target.value) / 100).toFixed(6)) })}
        className={`${inputLook} mt-2`}
      />
      <FieldNotes field="min_size" />
    </div>
  );
}
