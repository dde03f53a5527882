package jet

import "strconv"

// Steal has a reader of the line deliver n messages where nobody reads them, as what an earlier reading
// asked for does when it comes late.
func (l *Line) Steal(stream string, kind Kind, n int) error {
	inbox := l.nc.NewInbox()
	if _, err := l.nc.SubscribeSync(inbox); err != nil {
		return err
	}
	return l.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+stream+"."+Reader(l.nkey, l.token, kind), inbox, strconv.AppendInt(nil, int64(n), 10))
}
