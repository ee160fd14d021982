// The path of the user whose memory is shown.
import { user } from "../state/session";

export function ofUser(rest: string): string {
  return `v1/users/${encodeURIComponent(user.value)}/${rest}`;
}
