import { configRoutes } from "../../../src/contract/routes/system-config.ts";
import { useReply } from "../../api/use-reply.ts";
import { CopyText } from "../../parts/copy-text.tsx";
import { useAdminTexts } from "../../texts/admin.ts";

interface LinesProps {
  /** Such as "SMTP_PORT=587". */
  readonly lines: readonly string[];
}

/** The lines of the configuration that set something up: which file they belong into, and when homesec applies them. */
export function Lines({ lines }: LinesProps) {
  const { lines: texts } = useAdminTexts();
  const { data } = useReply(configRoutes.listVariables, {});
  const names = lines.map((line) => line.split("=")[0]);
  const isLive = data?.variables.filter(({ name }) => names.includes(name)).every(({ live }) => live) ?? false;
  return (
    <>
      <p className="mt-2 text-sm">{texts.into(data?.files[0])}</p>
      <CopyText label={texts.label} text={lines.join("\n")} />
      <p className="text-sm text-soft">{isLive ? texts.live : texts.restart}</p>
    </>
  );
}
