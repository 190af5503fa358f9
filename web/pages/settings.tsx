import { type ComponentType, lazy } from "react";
import { Route, Switch } from "wouter";
import type { PagePath } from "../../src/contract/pages.ts";
import { Missing } from "../parts/states.tsx";

const sections: readonly (readonly [path: PagePath, section: ComponentType])[] = [
  ["/settings", lazy(() => import("./settings/overview.tsx"))],
  ["/settings/channels", lazy(() => import("./settings/channels.tsx"))],
  ["/settings/recipients", lazy(() => import("./settings/recipients.tsx"))],
  ["/settings/webhooks", lazy(() => import("./settings/webhooks.tsx"))],
  ["/settings/webhooks/:id", lazy(() => import("./settings/webhook.tsx"))],
  ["/settings/modes", lazy(() => import("./settings/modes.tsx"))],
  ["/settings/keys", lazy(() => import("./settings/keys.tsx"))],
  ["/settings/configuration", lazy(() => import("./settings/configuration.tsx"))],
];

/** The sections of the settings. */
export default function SettingsPages() {
  return (
    <Switch>
      {sections.map(([path, section]) => (
        <Route key={path} path={path} component={section} />
      ))}
      <Route component={Missing} />
    </Switch>
  );
}
