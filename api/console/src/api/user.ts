// The path of whose memory is looked at.
import { user } from "../state/session";

export function ofUser(rest: string): string {
  return `v1/users/${encodeURIComponent(user.value)}/${rest}`;
}
