import { type ComponentType, lazy } from "react";
import { Route, Switch } from "wouter";
import type { PagePath } from "../../src/contract/pages.ts";
import { Missing } from "../parts/states.tsx";

const sections: readonly (readonly [path: PagePath, section: ComponentType])[] = [
  ["/system", lazy(() => import("./system/health.tsx"))],
  ["/system/processing", lazy(() => import("./system/processing.tsx"))],
  ["/system/storage", lazy(() => import("./system/storage.tsx"))],
];

/** The sections about homesec itself. */
export default function SystemPages() {
  return (
    <Switch>
      {sections.map(([path, section]) => (
        <Route key={path} path={path} component={section} />
      ))}
      <Route component={Missing} />
    </Switch>
  );
}
