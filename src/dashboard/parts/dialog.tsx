import { Close, Content, Description, Overlay, Portal, Root, Title } from '@radix-ui/react-dialog';
import { type ReactNode, useState } from 'react';
import { Icon } from './icon.tsx';
import './dialog.css';

type DialogProps = {
  readonly title: string;
  readonly description?: string;
  readonly onClose: () => void;
  /** True: neither Escape nor a click outside closes the dialog, because its content is not shown again. */
  readonly isSticky?: boolean;
  readonly children: ReactNode;
};

/** A dialog that is open while it is rendered. It keeps the focus inside, and returns it when it closes. */
export function Dialog({ title, description, onClose, isSticky = false, children }: DialogProps) {
  const [returnFocus] = useState(createFocusReturn);
  const stay = (event: Event): void => {
    if (isSticky) event.preventDefault();
  };
  return (
    <Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Portal>
        <Overlay className="dialog-shade" />
        <Content
          className="dialog"
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            returnFocus();
          }}
          onEscapeKeyDown={stay}
          onPointerDownOutside={stay}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <header className="dialog-head">
            <Title>{title}</Title>
            {!isSticky && (
              <Close className="icon-button">
                <Icon name="close" />
                <span className="only-read">Close</span>
              </Close>
            )}
          </header>
          {description !== undefined && <Description className="muted">{description}</Description>}
          {children}
        </Content>
      </Portal>
    </Root>
  );
}

/** The element outside of dialogs that had the focus when a dialog opened. */
let lastOpener: Element | null = null;

/**
 * Records the focused element, and returns a function that restores the focus: to that element or, if it is gone because one dialog
 * followed another, to the one that opened the first; else to the page.
 */
function createFocusReturn(): () => void {
  const active = document.activeElement;
  if (active?.closest('[role="dialog"]') === null) lastOpener = active;
  const candidates = [active, lastOpener, document.getElementById('page')];
  return () => {
    const next = candidates.find((element) => element?.isConnected && element !== document.body);
    if (next instanceof HTMLElement) next.focus();
  };
}
