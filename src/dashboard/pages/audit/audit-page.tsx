import { Page } from '../../parts/page.tsx';

/** The page "Audit log". */
export function AuditPage() {
  return <Page title="Audit log" />;
}
