import type { SecondFactorSecret } from '../../../../generated/account/types.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { groupSecret } from './group-secret.ts';
import { QrCode } from './qr/qr-code.tsx';

/** The secret of a second factor, to scan or to type. */
export function EnrolSecret({ secret: { secret, otpauth_uri } }: { readonly secret: SecondFactorSecret }) {
  return (
    <div className="enrol-secret">
      <QrCode text={otpauth_uri} label="QR code of the secret; the text beside it holds the same" />
      <div className="stack">
        <p>Scan it with the app. Without a camera, type this secret:</p>
        <div className="secret">
          <code>{groupSecret(secret)}</code>
          <CopyButton text={secret} label="Copy the secret" />
        </div>
      </div>
    </div>
  );
}
