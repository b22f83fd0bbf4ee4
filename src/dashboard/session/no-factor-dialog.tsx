import { Link } from 'wouter';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';

/** Shown where a change needs a second factor and the member has none. */
export function NoFactorDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      title="Set up a second factor first"
      description="This change needs a code of an authenticator app, so that an open browser alone cannot make it. To set one up takes a minute."
      onClose={onClose}
    >
      <div className="actions">
        <Button type="button" onClick={onClose}>
          Not now
        </Button>
        <Link href="/security" className="button button-primary" onClick={onClose}>
          Go to Security
        </Link>
      </div>
    </Dialog>
  );
}
