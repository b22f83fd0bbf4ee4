import { Page } from '../../parts/page.tsx';

/** The page "Security". */
export function SecurityPage() {
  return <Page title="Security" />;
}
