import type { Answer } from './answer.ts';
import type { Delivery } from './delivery.ts';
import type { Dialect } from './dialect.ts';
import type { Exchange } from './exchange.ts';
import type { CompleteGatewayOptions } from './gateway-options.ts';
import type { Loss } from './loss.ts';
import type { Session } from './session.ts';

/** Who owns a session: the pool. */
export interface SessionOwner {
  /** It may take a push that it could not take before. */
  onRoom(session: Session): void;
  /** It takes no more pushes; `onEnded` follows. */
  onDraining(session: Session): void;
  /** It is gone, for the reason of {@link Session.cause}. */
  onEnded(session: Session): void;
  onAnswer(session: Session, exchange: Exchange, answer: Answer): void;
  onLost(delivery: Delivery, loss: Loss): void;
}

/** What sessions of one pool have in common. */
export interface SessionContext {
  readonly url: URL;
  readonly options: CompleteGatewayOptions;
  readonly dialect: Dialect;
  readonly owner: SessionOwner;
}
