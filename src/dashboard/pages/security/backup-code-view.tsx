import { useState } from 'react';
import { SERVER_ADDRESS } from '../../calls/places.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useSession } from '../../session/session.tsx';
import { backupCodeFile } from './backup-code-file.ts';
import { saveText } from './save-text.ts';

type BackupCodeViewProps = { readonly codes: readonly string[]; readonly onClose: () => void };

/** Shows backup codes, once: to copy, save and print. It closes when the member says that they are kept. */
export function BackupCodeView({ codes, onClose }: BackupCodeViewProps) {
  const { member } = useSession();
  const [areKept, setKept] = useState(false);
  const { host } = new URL(SERVER_ADDRESS);
  return (
    <div className="stack">
      <p>
        Each of these codes replaces a code of your authenticator app once, when you do not have it. They are
        not shown again.
      </p>
      <ul className="backup-codes" aria-label="Backup codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="backup-tools">
        <Button
          type="button"
          onClick={() => saveText('keyslot-backup-codes.txt', backupCodeFile(member.email, host, codes))}
        >
          Download
        </Button>
        <Button type="button" onClick={() => window.print()}>
          Print
        </Button>
        <CopyButton text={codes.join('\n')} label="Copy the backup codes" />
      </div>
      <label className="tick">
        <input type="checkbox" checked={areKept} onChange={(event) => setKept(event.currentTarget.checked)} />
        I have kept them
      </label>
      <div className="actions">
        <Button type="button" kind="primary" disabled={!areKept} onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
