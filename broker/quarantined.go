package broker

// AsideID is the ID of the actor ByBroker that set a call aside.
const AsideID = "set-aside"

// Why a call is set aside, and what is said of it.
const (
	ReasonAside   = "aoctl crashed twice while this call waited"
	WhyAside      = "aoctl crashed twice while it was waiting"
	WhyUncounted  = "aoctl may have crashed while it was waiting, which could not be recorded"
	asideWords    = "aoctl crashed twice while this call waited, so it was refused. Asking for it again asks a person."
	MaxEndsLooked = 1000
)
