import { Page } from '../../parts/page.tsx';

/** The page "Settings". */
export function SettingsPage() {
  return <Page title="Settings" />;
}
