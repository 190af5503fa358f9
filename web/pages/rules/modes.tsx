import { modeRoutes } from "../../../src/contract/routes/modes.ts";
import { useReply } from "../../api/use-reply.ts";
import { useModeNames } from "../../parts/names.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import type { Draft } from "./draft.ts";
import { Chip, Chips, Group, toggled } from "./fields.tsx";

interface ModesProps {
  readonly draft: Draft;
  readonly change: (changed: Partial<Draft>) => void;
}

/** The modes of the home in which the rule alerts. */
export function ModesField({ draft, change }: ModesProps) {
  const { rules } = useMoreTexts();
  const nameOf = useModeNames();
  const { data } = useReply(modeRoutes.listModes, {});
  const names = [...new Set([...(data?.modes.map(({ name }) => name) ?? []), ...(draft.modes ?? [])])];
  return (
    <Group title={rules.modesTitle} hint={rules.modesHint} field="modes">
      <Chips>
        {names.map((name) => (
          <Chip
            key={name}
            isOn={draft.modes?.includes(name) ?? false}
            onChange={(isOn) => change({ modes: toggled(draft.modes, name, isOn) })}
          >
            {nameOf(name)}
          </Chip>
        ))}
      </Chips>
    </Group>
  );
}
